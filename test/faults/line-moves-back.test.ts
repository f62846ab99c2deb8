// A client whose first waiting reader has left stands further back; who stood back for it is told.

import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import { faultWorlds, rejection } from './world.js';

const open = faultWorlds('line');

test('a writer that stood back for a reader who has left is told when that is known', async (context) => {
  const { proxy, name, client, other } = await open(context);
  const readers = client.getReadWriteLock(name).readLock;
  const { writeLock } = other.getReadWriteLock(name);
  const raw = rawClient();
  const held = await writeLock.acquire();
  const abort = new AbortController();
  const leaving = rejection(readers.acquire({ signal: abort.signal }));
  await eventually(async () => expect(await raw.zcard(`latchkey_waiting:{${name}}`)).toBe(1));
  const writing = writeLock.acquire();
  await eventually(async () => expect(await raw.zcard(`latchkey_writers:{${name}}`)).toBe(1));
  const staying = readers.acquire();
  abort.abort(new Error('left'));
  await leaving;
  const messages = await heard(context, `redisson_rwlock:{${name}}`);

  // The writer of the same client asks before the readers do, and stands back for the one that left.
  proxy.delay({ downMs: 50, upMs: 50 });
  await held.release();
  const writer = await writing;

  await eventually(() => expect(messages).toEqual(['1', '0']));
  await writer.release();
  await (await staying).release();
});

async function heard(
  context: { onTestFinished(end: () => Promise<void>): void },
  channel: string,
): Promise<string[]> {
  const subscriber = rawClient();
  context.onTestFinished(async () => {
    await subscriber.unsubscribe(channel);
  });
  const messages: string[] = [];
  subscriber.on('message', (_, message: string) => messages.push(message));
  await subscriber.subscribe(channel);
  return messages;
}
