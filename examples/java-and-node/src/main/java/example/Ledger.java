package example;

import org.redisson.Redisson;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/**
 * The Java half of a pair: ../../../ledger.mjs is the other. Both book entries on one balance, which
 * each reads and writes under a fair lock that they share. No entry is lost.
 */
public final class Ledger {
  private static final int ENTRIES = 200;

  private Ledger() {}

  /** Waits for the other program, books, and waits until both are done. */
  public static void main(String[] args) throws InterruptedException {
    var url = System.getenv().getOrDefault("REDIS_URL", "redis://127.0.0.1:6379");
    var config = new Config();
    config.useSingleServer().setAddress(url);
    var redisson = Redisson.create(config);

    var balance = redisson.<String>getBucket("example:ledger:balance", StringCodec.INSTANCE);
    var lock = redisson.getFairLock("example:ledger:lock");
    var start = redisson.getCountDownLatch("example:ledger:start");
    var done = redisson.getCountDownLatch("example:ledger:done");

    long opening = read(balance.get());
    done.trySetCount(2);
    start.trySetCount(2); // whoever is first sets it
    start.countDown();
    start.await();

    for (int i = 0; i < ENTRIES; i++) {
      lock.lock();
      try {
        balance.set(String.valueOf(read(balance.get()) + 1));
      } finally {
        lock.unlock();
      }
    }

    done.countDown();
    done.await();
    System.out.println("booked by Java: " + ENTRIES);
    System.out.println("booked together: " + (read(balance.get()) - opening));
    redisson.shutdown();
  }

  private static long read(String balance) {
    return balance == null ? 0 : Long.parseLong(balance);
  }
}
