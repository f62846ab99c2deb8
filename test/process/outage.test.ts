import { expect, test } from 'vitest';
import { latchChannel } from '../support/latch-channel.js';
import { eventually } from '../support/eventually.js';
import { startWorker } from '../support/processes.js';
import { channelsUnder, rawClient } from '../support/redis.js';
import { testScope } from '../support/scope.js';
import { ownServer } from '../support/server.js';

const scope = testScope('outage');
const SOMEBODY = '33333333-3333-4333-8333-333333333333:1';

/** What a process wrote, without the warnings that Redis has been away for a second, that this is over, and that
 * it has waited for ten: on a busy machine that takes so long. */
function complaints(output: string): string {
  return output
    .split('\n')
    .filter((line) => !/^\(node:\d+\) \[REDLATCH_(?:TROUBLE|WAIT)|^\(Use `node --trace/.test(line))
    .join('\n');
}

test('a process that holds and waits survives the death and return of its Redis', async () => {
  const server = await ownServer();
  const name = scope.name();
  const raw = rawClient(server.url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
  await raw.hset(`${name}:theirs`, SOMEBODY, '1');
  await raw.pexpire(`${name}:theirs`, 60_000);
  await raw.set(`${name}:latch`, '1');
  const env = { NODE_OPTIONS: '--unhandled-rejections=strict' };
  const worker = startWorker('survivor', { args: [server.url, name], env });
  await worker.message('standing');
  await eventually(async () => {
    expect(await channelsUnder(name, raw)).toEqual(
      expect.arrayContaining([
        latchChannel(`${name}:latch`),
        `redisson_lock__channel:{${name}:theirs}`,
      ]),
    );
  });

  await server.kill();
  const lost = await worker.message('lost');
  await server.restart();
  const gotIn = await worker.message('got-in', { withinMs: 15_000 });
  const released = await worker.message('released');
  const exit = await worker.exited;

  expect(lost).toMatchObject({ code: 'ERR_LEASE_LOST' });
  expect(gotIn).toMatchObject({ isHeld: true, opened: true });
  expect(released).toMatchObject({ error: 'ERR_LEASE_LOST' });
  expect(exit).toEqual({ code: 0, signal: null });
  expect(complaints(worker.output)).toBe('');
  expect(await raw.exists(`${name}:theirs`, `${name}:mine`)).toBe(0);
});

test('a process survives a Redis that comes back before any lease has ended', async () => {
  const server = await ownServer();
  const name = scope.name();
  const raw = rawClient(server.url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
  await raw.hset(`${name}:theirs`, SOMEBODY, '1');
  await raw.set(`${name}:latch`, '1');
  const env = { NODE_OPTIONS: '--unhandled-rejections=strict' };
  const worker = startWorker('survivor', { args: [server.url, name], env });
  await worker.message('standing');
  await eventually(async () => (await channelsUnder(name, raw)).length >= 2);

  await server.restart();
  await worker.message('got-in', { withinMs: 15_000 });
  const exit = await worker.exited;

  // An empty server: what was held there is gone, and the holder has been told.
  expect(worker.messages.map(({ type }) => type)).toContain('lost');
  expect(exit).toEqual({ code: 0, signal: null });
  expect(complaints(worker.output)).toBe('');
});
