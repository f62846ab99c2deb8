// Scenario 1, the other way round: Node holds, Java waits. Node's message lets Java in.

import { beforeAll, describe, test } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { startMonitor } from '../support/monitor.js';
import { stepReader } from '../support/steps.js';
import { LONG_LEASE_MS, titledKinds } from './wake-up-kinds.js';
import { interopWorlds } from '../support/world.js';

const open = interopWorlds('wake-ups-java');
let stepsOf: ReturnType<typeof stepReader>;

beforeAll(async () => {
  stepsOf = stepReader(await startMonitor());
});

const javaWaits = ['java asks', 'java listens', 'java asks'];

describe.each(titledKinds)('%s: Node holds, Java waits', (_, kind) => {
  test.for(Object.entries(kind.javaWaits))(
    'in %s: a release lets Java in with a single script',
    async ([, waits], context) => {
      const { name, java, node } = await open(context, { node: { leaseMs: LONG_LEASE_MS } });
      const steps = stepsOf(name);
      const release = await kind.nodeHolds(node, name);
      await steps.take();
      const waiting = waits(java.thread('waiter'), name);
      await steps.expect(javaWaits);
      await eventually(async () => (await java.parked()) === 1, { withinMs: 10_000 });

      await release();
      const leave = await waiting;

      await steps.expect([`node tells ${kind.message}`, `java ${kind.entry}`]);
      await leave();
    },
  );
});
