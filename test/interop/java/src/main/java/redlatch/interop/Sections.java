package redlatch.interop;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.util.List;
import java.util.Map;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/**
 * Enters an object again and again until the gauge has counted so many entries of all sides. Each
 * section runs the two scripts that it is given: one that notes who is inside, and one that notes
 * that it left. With a counter it counts up by reading and writing.
 */
final class Sections {
  private final RedissonClient redisson;
  private final String name;
  private final Args args;
  private final RScript script;
  private final List<Object> gauge;
  private final String side;

  Sections(RedissonClient redisson, String name, Args args) {
    this.redisson = redisson;
    this.name = name;
    this.args = args;
    this.script = redisson.getScript(StringCodec.INSTANCE);
    this.gauge = List.of(args.text("gauge"));
    this.side = args.text("side");
  }

  /** Answers how many sections this thread was in, and how long it waited at most. */
  Map<String, Long> run(String kind) throws Exception {
    return switch (kind) {
      case "semaphore" -> {
        var semaphore = redisson.getSemaphore(name);
        yield repeat(
            () -> {
              semaphore.acquire();
              return new Stay("", semaphore::release);
            });
      }
      case "permits" -> {
        var semaphore = redisson.getPermitExpirableSemaphore(name);
        yield repeat(
            () -> {
              var permit = semaphore.acquire(30_000, MILLISECONDS);
              return new Stay("", () -> semaphore.release(permit));
            });
      }
      case "fenced" -> {
        RFencedLock lock = redisson.getFencedLock(name);
        yield repeat(() -> new Stay(String.valueOf(lock.lockAndGetToken()), lock::unlock));
      }
      case "lock" -> locked(redisson.getLock(name));
      case "fair" -> locked(redisson.getFairLock(name));
      case "read" -> locked(redisson.getReadWriteLock(name).readLock());
      case "write" -> locked(redisson.getReadWriteLock(name).writeLock());
      default -> throw new IllegalArgumentException("no such object: " + kind);
    };
  }

  private Map<String, Long> locked(RLock lock) throws Exception {
    return repeat(
        () -> {
          lock.lock();
          return new Stay("", lock::unlock);
        });
  }

  private interface Entry {
    /** Waits to get in. */
    Stay enter() throws Exception;
  }

  /** The fencing token, or nothing, and how to get out. */
  private record Stay(String token, Runnable exit) {}

  private Map<String, Long> repeat(Entry entry) throws Exception {
    long total = args.number("total");
    long sections = 0;
    long longestWait = 0;
    var who = "java " + Thread.currentThread().getId();
    for (long seen = 0; seen < total; ) {
      var askedAt = System.nanoTime();
      var stay = entry.enter();
      longestWait = Math.max(longestWait, System.nanoTime() - askedAt);
      try {
        note(args.text("enter"), side, args.number("limit"), who, stay.token());
        inside();
        seen = note(args.text("leave"), side);
      } finally {
        stay.exit().run();
      }
      sections += 1;
    }
    return Map.of("sections", sections, "longestWaitMs", NANOSECONDS.toMillis(longestWait));
  }

  private long note(String text, Object... values) {
    return script.eval(RScript.Mode.READ_WRITE, text, RScript.ReturnType.LONG, gauge, values);
  }

  private void inside() throws InterruptedException {
    if (args.has("counter")) {
      var counter = redisson.<String>getBucket(args.text("counter"), StringCodec.INSTANCE);
      var count = counter.get();
      counter.set(String.valueOf(count == null ? 1 : Long.parseLong(count) + 1));
    }
    long insideMs = args.number("insideMs", 0);
    if (insideMs > 0) {
      Thread.sleep(insideMs);
    }
  }
}
