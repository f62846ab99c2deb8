package redlatch.interop;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;

/** Asynchronous callers that wait for a message: no thread of theirs sleeps, so only Redisson knows. */
final class Waiters {
  private Waiters() {}

  /** How many there are in a client, on all of its locks, semaphores and latches. */
  static long listeners(RedissonClient redisson) throws ReflectiveOperationException {
    var service =
        ((Redisson) redisson).getCommandExecutor().getConnectionManager().getSubscribeService();
    long count = 0;
    for (Object subscriptions :
        List.of(
            service.getLockPubSub(),
            service.getSemaphorePubSub(),
            service.getCountDownLatchPubSub())) {
      var entries = (Map<?, ?>) field(subscriptions.getClass().getSuperclass(), "entries", subscriptions);
      for (Object entry : entries.values()) {
        count += ((Collection<?>) field(entry.getClass(), "listeners", entry)).size();
      }
    }
    return count;
  }

  private static Object field(Class<?> type, String name, Object object)
      throws ReflectiveOperationException {
    var field = type.getDeclaredField(name);
    field.setAccessible(true);
    return field.get(object);
  }
}
