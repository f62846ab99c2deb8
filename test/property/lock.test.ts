import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { createClient } from '../../src/index.js';
import { randomName, rawClient } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { ownServer } from '../support/server.js';
import { lockCommands } from './lock-commands.js';
import { finish, type Model, type Real } from './lock-model.js';
import { runSettings, seeds } from './seeds.js';

const prefix = randomName('lock-model');
const server = await ownServer();
const raw = rawClient(server.url);
let runs = 0;

afterAll(async () => {
  const tokens = await raw.keys(`redisson_lock_token:{${prefix}*`);
  await raw.del(...tokens, prefix);
  await expectNoResidue(prefix, { allow: [/^latchkey_(?:cancelled|requests):/], client: raw });
  await expectNoChannels(prefix, { client: raw });
});

function setup(): { model: Model; real: Real } {
  runs += 1;
  const { host, port } = server;
  const clients = [0, 1, 2].map((i) =>
    createClient({ redis: { host, port, connectionName: `model-${i}` }, leaseMs: 2_000 }),
  );
  const name = `${prefix}-${runs}`;
  const real: Real = { name, raw, clients, holds: [], waiters: [], lastToken: 0n, lostEvents: 0 };
  for (const client of clients) {
    client.on('lost', () => {
      real.lostEvents += 1;
    });
  }
  return { model: { holds: [], waiters: [], groups: 0 }, real };
}

test.each(seeds)('three clients and their faults keep to the model, seed %i', async (seed) => {
  const property = fc.asyncProperty(
    fc.commands(lockCommands, { size: 'max', maxCommands: 40 }),
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
