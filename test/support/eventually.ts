import { setTimeout as delay } from 'node:timers/promises';

/** A condition did not come true in time; `cause` is what the last look threw. */
class NeverError extends Error {
  override readonly name = 'NeverError';
}

/**
 * Waits until a check holds: it returns anything but false or null, and does not throw. So a
 * condition, a value and a block of `expect(...)` can be awaited, without a sleep of guessed length.
 *
 * @param check looked at again and again
 * @param options.withinMs give up after this long, default 5000
 * @param options.everyMs pause between two looks, default 10
 * @returns what the check returned in the end
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { withinMs = 5_000, everyMs = 10 }: { withinMs?: number; everyMs?: number } = {},
): Promise<Exclude<T, false | null>> {
  const end = performance.now() + withinMs;
  let cause: unknown;
  do {
    try {
      const value = await check();
      if (value !== false && value !== null) {
        return value as Exclude<T, false | null>;
      }
      cause = new Error(`the check returned ${String(value)}`);
    } catch (error) {
      cause = error;
    }
    await delay(everyMs);
  } while (performance.now() < end);
  const detail = cause instanceof Error ? cause.message : String(cause);
  throw new NeverError(`not true within ${withinMs} ms: ${detail}`, { cause });
}
