package latchkey.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RLock;

/** Threads that take one lock in turn, as fast as they can, for a while: for the benchmark. */
final class Contention {
  private final RLock lock;
  private final Args args;

  Contention(RLock lock, Args args) {
    this.lock = lock;
    this.args = args;
  }

  /** What one thread has seen: how often it had the lock, its longest wait, and when it had it. */
  private record Seen(long acquisitions, long longestNs, List<Double> spans) {}

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
      for (var thread : executor.invokeAll(threads)) {
        var seen = thread.get();
        acquisitions += seen.acquisitions();
        longestNs = Math.max(longestNs, seen.longestNs());
        spans.addAll(seen.spans());
      }
      double seconds = (System.nanoTime() - startedAt) / 1e9;
      return Map.of(
          "acquisitions", acquisitions,
          "seconds", seconds,
          "longestMs", longestNs / 1e6,
          "spans", spans);
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
    for (long askedAt = System.nanoTime(); askedAt < endAt; askedAt = System.nanoTime()) {
      lock.lock();
      long grantedAt = System.nanoTime();
      longestNs = Math.max(longestNs, grantedAt - askedAt);
      acquisitions += 1;
      if (holdMs > 0) {
        Thread.sleep(holdMs);
      }
      if (isChecked) {
        // Microseconds of the clock that all processes of the machine share.
        spans.add(grantedAt / 1e3);
        spans.add(System.nanoTime() / 1e3);
      }
      lock.unlock();
    }
    return new Seen(acquisitions, longestNs, spans);
  }
}
