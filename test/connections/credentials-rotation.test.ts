// A password that is rotated on the server, under holds.

import { afterAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { randomName, runPrefix } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { guardedServer, Source } from './credential-source.js';
import { cutClients, expectWaitEndsByMessage, openClient } from './exercise.js';

const { server, operator } = await guardedServer('first');
const redis = { host: server.host, port: server.port };

afterAll(async () => {
  const allow = [/^redlatch_(cancelled|requests|opened|beats|generation|permits|tickets):/];
  await expectNoResidue(runPrefix(), { client: operator, allow, withinMs: 4_000 });
  await expectNoChannels(runPrefix(), { client: operator });
});

test('the password is rotated five times under 100 holds and a cut of each connection: none is lost', async () => {
  const source = new Source('first');
  const options = { redis, credentials: source.ask, leaseMs: 3_000 };
  const client = openClient({ ...options, label: 'rotated' });
  const ends: string[] = [];
  client.on('lost', ({ resource }) => ends.push(resource));
  const name = randomName();
  const holds = await Promise.all(
    Array.from({ length: 100 }, async (_, i) => await client.getLock(`${name}-${i}`).acquire()),
  );

  for (const password of ['second', 'third', 'fourth', 'fifth', 'sixth']) {
    await operator.config('SET', 'requirepass', password);
    source.give = () => ({ password });
    expect(await cutClients(operator)).toBeGreaterThan(0);
    await expectWaitEndsByMessage([client, openClient(options)], operator);
    // A renewal comes through.
    await operator.pexpire(`${name}-0`, 1_500);
    await eventually(async () => (await operator.pttl(`${name}-0`)) > 1_600);
  }

  expect(ends).toEqual([]);
  expect(holds.filter(({ isHeld }) => isHeld).length).toBe(100);
  const kept = await Promise.all(
    holds.map(async ({ lockName }) => await operator.exists(lockName)),
  );
  expect(kept.filter((exists) => exists === 1).length).toBe(100);
  await Promise.all(holds.map(async (hold) => await hold.release()));
});
