// Scenario 3: the same steps leave the same bytes and messages, whichever side makes them, but for
// the differences in the list.

import { beforeAll, describe, expect, test } from 'vitest';
import { keysUnder } from '../../support/redis.js';
import { countSequences } from './count-sequences.js';
import { differences } from './differences.js';
import { deviations, play, type Deviations } from './history.js';
import { lockSequences, type Sequence } from './lock-sequences.js';
import { startMonitor, type Monitor } from '../support/monitor.js';
import { JavaSide, NodeSide } from './sides.js';
import { interopWorlds, type World } from '../support/world.js';

const open = interopWorlds('bytes');
const sequences: Readonly<Record<string, Sequence>> = { ...lockSequences, ...countSequences };
let monitors: { java: Monitor; node: Monitor };

beforeAll(async () => {
  monitors = { java: await startMonitor(), node: await startMonitor() };
});

/** What the list says of a sequence, in the form in which it is found. */
function listed(title: string): Deviations {
  const expected: Deviations = {};
  for (const step of Object.keys(sequences[title]?.steps ?? {})) {
    const here = differences.filter(
      ({ at: { [title]: steps = [] } }) => steps === 'every step' || steps.includes(step),
    );
    if (here.length > 0) {
      expected[step] = {
        java: here.flatMap(({ java = [] }) => java).toSorted(),
        node: here.flatMap(({ node = [] }) => node).toSorted(),
      };
    }
  }
  return expected;
}

/** Tokens outlive every lock, and what Java forces out leaves its hold keys (R10). */
async function clear({ name, raw }: World): Promise<void> {
  const keys = await keysUnder(name, raw);
  const left = keys.filter((key) => /^redisson_lock_token:|-java}:.*:rwlock_timeout:/.test(key));
  await Promise.all(left.map(async (key) => await raw.del(key)));
}

describe('what Java and Node leave, tell and answer differs by the list, and by nothing else', () => {
  test.for(Object.entries(sequences))('%s', async ([title, sequence], context) => {
    const { leaseMs = 30_000 } = sequence;
    const world = await open(context);
    context.onTestFinished(async () => await clear(world));

    const [java, node] = await Promise.all([
      play(await JavaSide.start(world, `${world.name}-java`, leaseMs), sequence, monitors.java),
      play(new NodeSide(world, `${world.name}-node`, { leaseMs }), sequence, monitors.node),
    ]);

    expect(deviations(java, node)).toEqual(listed(title));
    // Two empty histories would be equal as well.
    const ofNode = [...node.values()].flat();
    const shared = [...java.values()].flat().filter((line) => ofNode.includes(line));
    expect(shared).toContainEqual(expect.stringMatching(/^NAME \w/));
  });
});

describe('the list', () => {
  test.for(differences)('$id: $says', ({ id, says, java = [], node = [], at }) => {
    expect(id).toMatch(/^(?:[BCELNPQRS]\d+|§2\.\d+)$/);
    expect(says).toMatch(/^[A-Z].+\.$/);
    expect(java.length + node.length).toBeGreaterThan(0);
    for (const [title, steps] of Object.entries(at)) {
      const known = Object.keys(sequences[title]?.steps ?? {});
      // A step that is not made would go unnoticed.
      expect(known.length, title).toBeGreaterThan(0);
      expect(known).toEqual(expect.arrayContaining(steps === 'every step' ? [] : [...steps]));
    }
  });
});
