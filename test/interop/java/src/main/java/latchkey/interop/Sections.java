package latchkey.interop;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/**
 * Enters an object again and again until the gauge has counted so many entries of all sides. Each
 * section runs the two scripts that it is given: one that notes who is inside, and one that notes
 * that it left.
 */
final class Sections {
  private final RedissonClient redisson;
  private final String name;
  private final String enter;
  private final String leave;
  private final List<Object> gauge;
  private final String side;
  private final long limit;
  private final long total;
  private final long insideMs;

  Sections(RedissonClient redisson, String name, Args args) {
    this.redisson = redisson;
    this.name = name;
    this.enter = args.text("enter");
    this.leave = args.text("leave");
    this.gauge = List.of(args.text("gauge"));
    this.side = args.text("side");
    this.limit = args.number("limit");
    this.total = args.number("total");
    this.insideMs = args.number("insideMs", 0);
  }

  /** Answers how many sections this thread was in. */
  Map<String, Long> run(String kind) throws Exception {
    return switch (kind) {
      case "semaphore" -> {
        var semaphore = redisson.getSemaphore(name);
        yield repeat(
            () -> {
              semaphore.acquire();
              return semaphore::release;
            });
      }
      case "permits" -> {
        var semaphore = redisson.getPermitExpirableSemaphore(name);
        yield repeat(
            () -> {
              var permit = semaphore.acquire(30_000, MILLISECONDS);
              return () -> semaphore.release(permit);
            });
      }
      case "lock" -> locked(redisson.getLock(name));
      case "fair" -> locked(redisson.getFairLock(name));
      case "fenced" -> locked(redisson.getFencedLock(name));
      case "read" -> locked(redisson.getReadWriteLock(name).readLock());
      case "write" -> locked(redisson.getReadWriteLock(name).writeLock());
      default -> throw new IllegalArgumentException("no such object: " + kind);
    };
  }

  private Map<String, Long> locked(Lock lock) throws Exception {
    return repeat(
        () -> {
          lock.lock();
          return lock::unlock;
        });
  }

  private interface Entry {
    /** Waits to get in; answers how to get out. */
    Runnable enter() throws Exception;
  }

  private Map<String, Long> repeat(Entry entry) throws Exception {
    var script = redisson.getScript(StringCodec.INSTANCE);
    long sections = 0;
    for (long seen = 0; seen < total; ) {
      var exit = entry.enter();
      try {
        seen = script.eval(RScript.Mode.READ_WRITE, enter, RScript.ReturnType.LONG, gauge, side, limit);
        if (insideMs > 0) {
          Thread.sleep(insideMs);
        }
        script.eval(RScript.Mode.READ_WRITE, leave, RScript.ReturnType.LONG, gauge, side);
      } finally {
        exit.run();
      }
      sections += 1;
    }
    return Map.of("sections", sections);
  }
}
