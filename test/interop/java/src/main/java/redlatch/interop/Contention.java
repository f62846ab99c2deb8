package redlatch.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** Threads that take one lock in turn, as fast as they can, for a while: for the benchmark. */
final class Contention {
  private final RLock lock;
  /** Of a read-write lock: taken by so many of a hundred, at random. */
  private final RLock readLock;
  private final int readers;
  private final Args args;

  /** `of`: `lock`, or `readWrite`. */
  Contention(RedissonClient redisson, String of, String name, Args args) {
    var isReadWrite = of.equals("readWrite");
    var both = redisson.getReadWriteLock(name);
    this.lock = isReadWrite ? both.writeLock() : redisson.getLock(name);
    this.readLock = both.readLock();
    this.readers = isReadWrite ? args.count("readers", 0) : 0;
    this.args = args;
  }

  /** What one thread has seen: how often it had the lock, its longest wait, and when it had it. */
  private record Seen(
      long acquisitions, long longestNs, List<Double> spans, List<Double> sharedSpans) {}

  Map<String, Object> run() throws Exception {
    int tasks = args.count("tasks", 1);
    long startedAt = System.nanoTime();
    long endAt = startedAt + TimeUnit.MILLISECONDS.toNanos(args.number("ms"));
    var executor = Executors.newFixedThreadPool(tasks);
    try {
      var threads = new ArrayList<Callable<Seen>>();
      for (int i = 0; i < tasks; i++) {
        threads.add(() -> repeat(endAt));
      }
      long acquisitions = 0;
      long longestNs = 0;
      var spans = new ArrayList<Double>();
      var sharedSpans = new ArrayList<Double>();
      for (var thread : executor.invokeAll(threads)) {
        var seen = thread.get();
        acquisitions += seen.acquisitions();
        longestNs = Math.max(longestNs, seen.longestNs());
        spans.addAll(seen.spans());
        sharedSpans.addAll(seen.sharedSpans());
      }
      double seconds = (System.nanoTime() - startedAt) / 1e9;
      return Map.of(
          "acquisitions", acquisitions,
          "seconds", seconds,
          "longestMs", longestNs / 1e6,
          "spans", spans,
          "sharedSpans", sharedSpans);
    } finally {
      executor.shutdown();
    }
  }

  private Seen repeat(long endAt) throws InterruptedException {
    boolean isChecked = args.flag("isChecked");
    long holdMs = args.number("holdMs");
    long acquisitions = 0;
    long longestNs = 0;
    var spans = new ArrayList<Double>();
    var sharedSpans = new ArrayList<Double>();
    for (long askedAt = System.nanoTime(); askedAt < endAt; askedAt = System.nanoTime()) {
      boolean isShared = ThreadLocalRandom.current().nextInt(100) < readers;
      var taken = isShared ? readLock : lock;
      taken.lock();
      long grantedAt = System.nanoTime();
      longestNs = Math.max(longestNs, grantedAt - askedAt);
      acquisitions += 1;
      if (holdMs > 0) {
        Thread.sleep(holdMs);
      }
      if (isChecked) {
        // Microseconds of the clock that all processes of the machine share.
        var noted = isShared ? sharedSpans : spans;
        noted.add(grantedAt / 1e3);
        noted.add(System.nanoTime() / 1e3);
      }
      taken.unlock();
    }
    return new Seen(acquisitions, longestNs, spans, sharedSpans);
  }
}
