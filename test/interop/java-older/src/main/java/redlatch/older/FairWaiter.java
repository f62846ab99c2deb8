package redlatch.older;

import org.redisson.Redisson;
import org.redisson.api.NameMapper;
import org.redisson.config.Config;

/** Waits for a fair lock through a name mapper, says so, and ends when it has had it. */
public final class FairWaiter {
  private FairWaiter() {}

  /**
   * Arguments: the address of the server, the prefix of each name, the name.
   *
   * @param args see above
   */
  public static void main(String[] args) {
    var config = new Config();
    config.useSingleServer().setAddress(args[0]).setNameMapper(new Prefix(args[1]));
    var redisson = Redisson.create(config);
    try {
      var lock = redisson.getFairLock(args[2]);
      System.out.println("waiting");
      lock.lock();
      System.out.println("locked");
      lock.unlock();
    } finally {
      redisson.shutdown();
    }
  }

  private record Prefix(String prefix) implements NameMapper {
    @Override
    public String map(String name) {
      return prefix + name;
    }

    @Override
    public String unmap(String name) {
      return name.substring(prefix.length());
    }
  }
}
