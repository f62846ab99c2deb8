import { afterAll, expect, test } from 'vitest';
import { fc } from '../support/fast-check.js';
import { createClient } from '../../src/index.js';
import { randomName, rawClient } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { ownServer } from '../support/server.js';
import { check, latchCommands, type Model, type Real } from './latch-commands.js';
import { runSettings, seeds } from './seeds.js';

const prefix = randomName('latch-model');
const server = await ownServer();
const raw = rawClient(server.url);
let runs = 0;

afterAll(async () => {
  await expectNoResidue(prefix, { allow: [/^redlatch_(?:opened|requests):/], client: raw });
  await expectNoChannels(prefix, { client: raw });
});

function setup(): { model: Model; real: Real } {
  runs += 1;
  const { host, port } = server;
  const clients = [0, 1, 2].map((i) =>
    createClient({ redis: { host, port, connectionName: `model-${i}` } }),
  );
  const name = `${prefix}-${runs}`;
  return { model: { count: 0, waits: [] }, real: { name, raw, clients, waits: [] } };
}

/** Whoever still waits goes on when the latch goes. */
async function finish(model: Model, real: Real): Promise<void> {
  await real.clients[0]!.getCountDownLatch(real.name).delete();
  const waits = model.waits.map((state) => (state === 'waiting' ? ('opened' as const) : state));
  await check({ count: 0, waits }, real);
}

test.each(seeds)('three clients and their faults keep to the model, seed %i', async (seed) => {
  const property = fc.asyncProperty(
    fc.commands(latchCommands, { size: 'max', maxCommands: 40 }),
    async (commands) => {
      const { model, real } = setup();
      try {
        await fc.asyncModelRun(() => ({ model, real }), commands);
        await finish(model, real);
      } finally {
        await Promise.all(real.clients.map(async (client) => await client.close()));
      }
      expect(await raw.exists(real.name)).toBe(0);
    },
  );

  await fc.assert(property, runSettings(seed));
});
