// A release that finds its lease gone says so from its own answer: no second question could be lost.

import { describe, expect, test } from 'vitest';
import { LeaseLostError, type Client } from '../../src/index.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { faultWorlds, rejection, runs, take, prepare } from './world.js';
import { leasedKinds } from '../support/kinds/kinds.js';
import { FOREIGNER, type LeasedGrant, type LeasedKind } from '../support/kinds/kind.js';

const open = faultWorlds('release-lost');

/** How a grant can have ended before its release. */
const ends: ['deleted' | 'taken', (kind: LeasedKind, name: string) => Promise<unknown>][] = [
  ['deleted', async (kind, name) => await kind.erase(name)],
  ['taken', async (kind, name) => await kind.usurp(name, FOREIGNER, 60_000)],
];

const isScript = runs(...Object.values(scripts));

function losses(client: Client): string[] {
  const told: string[] = [];
  client.on('lost', ({ holderId, error }) => told.push(`${holderId} ${error.reason}`));
  client.on('released', ({ holderId }) => told.push(`${holderId} released`));
  return told;
}

async function expectLost(hold: LeasedGrant, name: string, reason: string): Promise<void> {
  const { error } = await rejection(hold.release());
  expect(error).toBeInstanceOf(LeaseLostError);
  expect(error).toMatchObject({ reason, resource: name });
  expect(hold.state).toBe('lost');
  expect(hold.signal.reason).toBe(error);
}

for (const kind of leasedKinds) {
  describe.concurrent(`a ${kind.what} whose key is gone at its release`, () => {
    // A permit has no place that somebody else could take.
    for (const [reason, end] of ends.slice(0, kind.usurped === 'taken' ? 2 : 1)) {
      test(`was ${reason}: one command says so, and one event`, async (context) => {
        const world = await open(context);
        const { proxy, name, client } = world;
        await prepare(kind, world);
        const told = losses(client);
        const hold = await take(kind.get(client, name));
        await end(kind, name);
        // Scripts only: requests come by connection, and its client may be opening one to listen.
        const before = proxy.requests().filter(isScript).length;

        await expectLost(hold, name, reason);

        // Where this took 100 ms, its client has begun to listen, and may have found the loss itself.
        const asked = proxy.requests().filter(isScript).slice(before);
        const listens = proxy.requests().some(([command]) => command === 'subscribe');
        expect(asked.length).toBeLessThanOrEqual(1);
        expect(listens || asked.length === 1).toBe(true);
        expect(asked.filter(runs(kind.scripts.release))).toEqual(asked);
        await expect(hold.release()).rejects.toBe(hold.signal.reason);
        expect(told).toEqual([`${kind.idOf(hold)} ${reason}`]);
        await kind.erase(name);
      });

      test(`was ${reason}: that is told though every later answer is lost`, async (context) => {
        const world = await open(context, { commandTimeoutMs: 1_000 });
        const { proxy, name, client } = world;
        await prepare(kind, world);
        const told = losses(client);
        const hold = await take(kind.get(client, name));
        await end(kind, name);
        proxy.cutReplyAfter((command) => !runs(kind.scripts.release)(command), { times: 1_000 });

        await expectLost(hold, name, reason);

        expect(told).toEqual([`${kind.idOf(hold)} ${reason}`]);
        await kind.erase(name);
      });
    }
  });
}
