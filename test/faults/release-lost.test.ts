// A release that finds its lease gone says so from its own answer: no second question could be lost.

import { describe, expect, test } from 'vitest';
import { LeaseLostError, type Client, type Hold, type Lock } from '../../src/index.js';
import { lockRelease } from '../../src/core/scripts.generated.js';
import { rawClient } from '../support/redis.js';
import { faultWorlds, rejection, runs, take } from './world.js';

const open = faultWorlds('release-lost');

const kinds: [string, (client: Client, name: string) => Lock][] = [
  ['lock', (client, name) => client.getLock(name)],
  ['fenced lock', (client, name) => client.getFencedLock(name)],
];

const ends: ['deleted' | 'taken', (name: string) => Promise<unknown>][] = [
  ['deleted', async (name) => await rawClient().del(name)],
  [
    'taken',
    async (name) =>
      await rawClient().multi().del(name).hset(name, 'somebody:1', 1).pexpire(name, 1_500).exec(),
  ],
];

function losses(client: Client): string[] {
  const told: string[] = [];
  client.on('lost', ({ holderId, error }) => told.push(`${holderId} ${error.reason}`));
  client.on('released', ({ holderId }) => told.push(`${holderId} released`));
  return told;
}

async function expectLost(hold: Hold, reason: string): Promise<void> {
  const { error } = await rejection(hold.release());
  expect(error).toBeInstanceOf(LeaseLostError);
  expect(error).toMatchObject({ reason, resource: hold.lockName });
  expect(hold.state).toBe('lost');
  expect(hold.signal.reason).toBe(error);
}

for (const [kind, create] of kinds) {
  describe.concurrent(`a ${kind} whose key is gone at its release`, () => {
    for (const [reason, end] of ends) {
      test(`was ${reason}: one command says so, and one event`, async (context) => {
        const { proxy, name, client } = await open(context);
        const told = losses(client);
        const hold = await take(create(client, name));
        await end(name);
        const before = proxy.requests().length;

        await expectLost(hold, reason);

        const asked = proxy.requests().slice(before);
        expect(asked.map((command) => runs(lockRelease)(command))).toEqual([true]);
        await expect(hold.release()).rejects.toBe(hold.signal.reason);
        expect(told).toEqual([`${hold.holderId} ${reason}`]);
      });

      test(`was ${reason}: that is told though every later answer is lost`, async (context) => {
        const { proxy, name, client } = await open(context, { commandTimeoutMs: 1_000 });
        const told = losses(client);
        const hold = await take(create(client, name));
        await end(name);
        proxy.cutReplyAfter((command) => !runs(lockRelease)(command), { times: 1_000 });

        await expectLost(hold, reason);

        expect(told).toEqual([`${hold.holderId} ${reason}`]);
      });
    }
  });
}
