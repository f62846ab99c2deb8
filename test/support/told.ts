import { privateKey } from '../../src/core/base/key-names.js';
import { prefixed } from './kinds/connection.js';
import { channelsUnder, rawClient } from './redis.js';

/** How many will be told when an object can be had: they listen to its channels, or stand in its line
 * and listen to their own channel. */
export async function toldOf(name: string, raw = rawClient()): Promise<number> {
  const counts = await Promise.all(
    (await channelsUnder(prefixed('', name).slice(1), raw)).map(
      async (channel) =>
        (await countOf('NUMSUB', channel)) || (await countOf('SHARDNUMSUB', channel)),
    ),
  );
  async function countOf(word: string, channel: string): Promise<number> {
    const [, count] = (await raw.call('PUBSUB', word, channel)) as [string, number];
    return count;
  }
  const subscribed = counts.reduce((sum, count) => sum + count, 0);
  const tickets = await raw.hgetall(privateKey('tickets', name)).catch((error: Error) => {
    // In a cluster there are no tickets.
    if (!error.message.startsWith('MOVED')) {
      throw error;
    }
    return {};
  });
  const told = await Promise.all(
    Object.entries(tickets).map(async ([holderId, ticket]) =>
      // Of a fair lock: its window, and whether its client listened to its own channel when it asked. It
      // may listen to another of its own besides.
      /^\d+ [01]$/.test(ticket)
        ? (await countOf('NUMSUB', `redlatch:${holderId.slice(0, 36)}`)) &&
          1 - (await countOf('NUMSUB', `${prefixed('redisson_lock__channel', name)}:${holderId}`))
        : // When it was heard of, its window, whether it listens to its own channel, and to that of
          // the lock.
          Number(/^\d+ \d+ 1 0$/.test(ticket)),
    ),
  );
  return told.reduce((sum, count) => sum + count, subscribed);
}
