package redlatch.interop;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.time.Duration;
import java.util.stream.Stream;
import org.redisson.RedissonRedLock;
import org.redisson.api.RCountDownLatch;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;

/** What can be asked for, by object and method: `lock.tryLock`, `permits.acquire`, ... */
final class Operations {
  private Operations() {}

  /** Answers the value of a method, or a stage that will have it. */
  static Object run(String op, RedissonClient redisson, String name, Args args) throws Exception {
    int dot = op.indexOf('.');
    var method = op.substring(dot + 1);
    return switch (op.substring(0, dot)) {
      case "lock" -> lock(redisson.getLock(name), method, args);
      case "fair" -> lock(redisson.getFairLock(name), method, args);
      case "fenced" -> fenced(redisson.getFencedLock(name), method, args);
      case "multi" -> lock(multi(redisson, args), method, args);
      case "read" -> lock(redisson.getReadWriteLock(name).readLock(), method, args);
      case "write" -> lock(redisson.getReadWriteLock(name).writeLock(), method, args);
      case "semaphore" -> semaphore(redisson.getSemaphore(name), method, args);
      case "permits" -> permits(redisson.getPermitExpirableSemaphore(name), method, args);
      case "latch" -> latch(redisson.getCountDownLatch(name), method, args);
      case "thread" -> thread(redisson, method, name);
      case "sections" -> new Sections(redisson, name, args).run(method);
      case "contend" -> new Contention(redisson, method, name, args).run();
      default -> throw unknown(op);
    };
  }

  /** The same lock on several servers, of which a majority is enough. */
  static Object red(Stream<RLock> locks, String method, Args args) throws Exception {
    return lock(new RedissonRedLock(locks.toArray(RLock[]::new)), method, args);
  }

  private static RLock multi(RedissonClient redisson, Args args) {
    return redisson.getMultiLock(
        args.texts("names").stream().map(redisson::getLock).toArray(RLock[]::new));
  }

  private static IllegalArgumentException unknown(String op) {
    return new IllegalArgumentException("no such operation: " + op);
  }

  private static Object thread(RedissonClient redisson, String method, String name)
      throws Exception {
    return switch (method) {
      case "holderId" -> redisson.getId() + ":" + Thread.currentThread().getId();
      case "version" -> Runtime.version().toString();
      case "parked" -> parked();
      case "interrupt" -> interrupt(name);
      case "listeners" -> Waiters.listeners(redisson);
      default -> throw unknown("thread." + method);
    };
  }

  /** Interrupts the thread with a name; answers whether there is one. */
  private static boolean interrupt(String name) {
    var found =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals(name))
            .findFirst();
    found.ifPresent(Thread::interrupt);
    return found.isPresent();
  }

  /** How many threads of the caller's client sleep until a message comes. */
  private static long parked() {
    var own = Thread.currentThread().getName();
    var client = own.substring(0, own.indexOf('/') + 1);
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(entry -> entry.getKey().getName().startsWith(client))
        .filter(entry -> Stream.of(entry.getValue()).anyMatch(Operations::isGate))
        .count();
  }

  /** What Redisson's waiting threads wait at, once the server has told them to. */
  private static boolean isGate(StackTraceElement frame) {
    var name = frame.getClassName();
    return name.equals("java.util.concurrent.Semaphore") || name.endsWith(".ReclosableLatch");
  }

  private static Object lock(RLock lock, String method, Args args) throws Exception {
    long thread = Thread.currentThread().getId();
    long lease = args.number("leaseMs", -1);
    return switch (method) {
      case "lock" -> {
        if (args.isAsync()) {
          yield lock.lockAsync(lease, MILLISECONDS, thread);
        }
        lock.lock(lease, MILLISECONDS);
        yield null;
      }
      case "tryLock" -> {
        if (args.isAsync()) {
          yield args.has("waitMs")
              ? lock.tryLockAsync(args.number("waitMs"), lease, MILLISECONDS, thread)
              : lock.tryLockAsync(thread);
        }
        yield args.has("waitMs")
            ? lock.tryLock(args.number("waitMs"), lease, MILLISECONDS)
            : lock.tryLock();
      }
      case "unlock" -> {
        if (args.isAsync()) {
          yield lock.unlockAsync(thread);
        }
        lock.unlock();
        yield null;
      }
      case "forceUnlock" -> lock.forceUnlock();
      case "isLocked" -> lock.isLocked();
      case "isHeld" -> lock.isHeldByCurrentThread();
      case "holdCount" -> lock.getHoldCount();
      case "remainTimeToLive" -> lock.remainTimeToLive();
      default -> throw unknown("lock." + method);
    };
  }

  private static Object fenced(RFencedLock lock, String method, Args args) throws Exception {
    return switch (method) {
      // As text: a token may be larger than what JSON numbers carry.
      case "lockAndGetToken" ->
          args.isAsync()
              ? lock.lockAndGetTokenAsync().thenApply(String::valueOf)
              : String.valueOf(lock.lockAndGetToken());
      case "tryLockAndGetToken" -> {
        long wait = args.number("waitMs");
        long lease = args.number("leaseMs", -1);
        yield args.isAsync()
            ? lock.tryLockAndGetTokenAsync(wait, lease, MILLISECONDS).thenApply(String::valueOf)
            : String.valueOf(lock.tryLockAndGetToken(wait, lease, MILLISECONDS));
      }
      case "token" -> String.valueOf(lock.getToken());
      default -> lock(lock, method, args);
    };
  }

  private static Object semaphore(RSemaphore semaphore, String method, Args args)
      throws Exception {
    int count = args.count("permits", 1);
    return switch (method) {
      case "trySetPermits" ->
          args.has("ttlMs")
              ? semaphore.trySetPermits(count, Duration.ofMillis(args.number("ttlMs")))
              : semaphore.trySetPermits(count);
      case "addPermits" -> {
        semaphore.addPermits(count);
        yield null;
      }
      case "acquire" -> {
        if (args.isAsync()) {
          yield semaphore.acquireAsync(count);
        }
        semaphore.acquire(count);
        yield null;
      }
      case "tryAcquire" -> {
        var wait = Duration.ofMillis(args.number("waitMs", 0));
        if (args.isAsync()) {
          yield semaphore.tryAcquireAsync(count, wait);
        }
        yield args.has("waitMs") ? semaphore.tryAcquire(count, wait) : semaphore.tryAcquire(count);
      }
      case "release" -> {
        if (args.isAsync()) {
          yield semaphore.releaseAsync(count);
        }
        semaphore.release(count);
        yield null;
      }
      case "drainPermits" -> semaphore.drainPermits();
      case "availablePermits" -> semaphore.availablePermits();
      case "remainTimeToLive" -> semaphore.remainTimeToLive();
      case "delete" -> semaphore.delete();
      default -> throw unknown("semaphore." + method);
    };
  }

  private static Object permits(RPermitExpirableSemaphore semaphore, String method, Args args)
      throws Exception {
    int count = args.count("permits", 1);
    long lease = args.number("leaseMs", -1);
    return switch (method) {
      case "trySetPermits" -> semaphore.trySetPermits(count);
      case "setPermits" -> {
        semaphore.setPermits(count);
        yield null;
      }
      case "addPermits" -> {
        semaphore.addPermits(count);
        yield null;
      }
      case "acquire" ->
          args.isAsync()
              ? semaphore.acquireAsync(lease, MILLISECONDS)
              : semaphore.acquire(lease, MILLISECONDS);
      case "acquireMany" -> semaphore.acquire(count, lease, MILLISECONDS);
      case "tryAcquire" ->
          args.isAsync()
              ? semaphore.tryAcquireAsync(args.number("waitMs"), lease, MILLISECONDS)
              : semaphore.tryAcquire(args.number("waitMs"), lease, MILLISECONDS);
      case "release" -> {
        if (args.isAsync()) {
          yield semaphore.releaseAsync(args.text("permit"));
        }
        semaphore.release(args.text("permit"));
        yield null;
      }
      case "tryRelease" -> semaphore.tryRelease(args.text("permit"));
      case "tryReleaseMany" -> semaphore.tryRelease(args.texts("ids"));
      case "updateLeaseTime" ->
          semaphore.updateLeaseTime(args.text("permit"), lease, MILLISECONDS);
      case "leaseTime" -> semaphore.getLeaseTime(args.text("permit"));
      case "availablePermits" -> semaphore.availablePermits();
      case "acquiredPermits" -> semaphore.acquiredPermits();
      case "totalPermits" -> semaphore.getPermits();
      case "delete" -> semaphore.delete();
      default -> throw unknown("permits." + method);
    };
  }

  private static Object latch(RCountDownLatch latch, String method, Args args) throws Exception {
    return switch (method) {
      case "trySetCount" -> latch.trySetCount(args.number("count"));
      case "countDown" -> {
        if (args.isAsync()) {
          yield latch.countDownAsync();
        }
        latch.countDown();
        yield null;
      }
      case "count" -> latch.getCount();
      case "await" -> {
        if (args.isAsync()) {
          yield args.has("waitMs")
              ? latch.awaitAsync(args.number("waitMs"), MILLISECONDS)
              : latch.awaitAsync();
        }
        if (args.has("waitMs")) {
          yield latch.await(args.number("waitMs"), MILLISECONDS);
        }
        latch.await();
        yield null;
      }
      case "delete" -> latch.delete();
      default -> throw unknown("latch." + method);
    };
  }
}
