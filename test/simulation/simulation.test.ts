// A slice of `npm run simulate`, and whether the simulation itself can be trusted.

import { expect, onTestFinished, test, vi } from 'vitest';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { lostUpdates } from './checkers/fenced-store.js';
import { controlPlan } from './control.js';
import type { History } from './history.js';
import { judge } from './judge.js';
import { KINDS } from './kinds/index.js';
import { planOf, type Plan } from './plan.js';
import { run } from './run.js';
import { shrink } from './shrink.js';
import { storyOf } from './story.js';

const lua = await LuaEngine.load();

// In virtual time a failure is never bad luck: no test ends because the machine is busy.
vi.setConfig({ testTimeout: 180_000 });

/** Few, since the gate runs 330 beside this: whether a seed is judged at all shows here. */
const FIRST_SEED = 20_000;
const SEEDS_PER_KIND = Number(process.env['REDLATCH_SIMULATION_SEEDS'] ?? 6);

const limit = Error.stackTraceLimit;

/** Thousands of errors are made on purpose, and nobody reads where. */
function withoutStacks(): void {
  Error.stackTraceLimit = 0;
  onTestFinished(() => {
    Error.stackTraceLimit = limit;
  });
}

const kindNamed = (name: string) => KINDS.find(({ kind }) => kind === name)!;

test.each(KINDS.map((kind) => [kind.kind, kind] as const))(
  'no property of a %s is violated in any interleaving of these seeds',
  async (_, kind) => {
    withoutStacks();
    let counted = 0;
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS_PER_KIND; seed += 1) {
      const plan = planOf(seed, kind);
      const history = await run(lua, plan, kind);
      const { violations, isCounted } = judge(history, plan);
      counted += Number(isCounted);
      expect(violations, `npm run simulate -- --seed ${seed} --only ${kind.kind}`).toEqual([]);
    }
    expect(counted).toBeGreaterThan(SEEDS_PER_KIND * 0.8);
  },
);

/** Everything that can be told of a run. */
async function traceOf(plan: Plan): Promise<{ history: History; lines: string[] }> {
  const lines: string[] = [];
  const history = await run(lua, plan, kindNamed(plan.kind), (at, argv) =>
    lines.push(`${at} ${argv.join(' ')}`),
  );
  return { history, lines };
}

test.each(KINDS.map(({ kind }) => kind))('a seed of a %s is replayed exactly', async (name) => {
  withoutStacks();
  for (let seed = 1; seed <= 2; seed += 1) {
    const plan = planOf(seed, kindNamed(name));
    const first = await traceOf(plan);
    const second = await traceOf(plan);
    expect(second.lines).toEqual(first.lines);
    expect(storyOf(second.history)).toBe(storyOf(first.history));
    expect(second.lines.length).toBeGreaterThan(10);
  }
});

test('two seeds do not run alike', async () => {
  const kind = kindNamed('lock');
  const one = await traceOf(planOf(1, kind));
  const other = await traceOf(planOf(2, kind));

  expect(other.lines).not.toEqual(one.lines);
});

test('a store without fencing loses updates, and one with fencing never does', async () => {
  withoutStacks();
  const seeds = Array.from({ length: 20 }, (_, i) => i + 1);
  let losing = 0;
  for (const seed of seeds) {
    const plan = controlPlan(seed);
    const history = await run(lua, plan, kindNamed('fenced'));
    losing += Number(lostUpdates(history.openStore) > 0);
    expect(history.fencedStore.writes.length).toBeGreaterThan(50);
    expect(judge(history, plan).violations).toEqual([]);
  }
  expect(losing).toBeGreaterThanOrEqual(seeds.length * 0.95);
});

test('a failing plan is made small', async () => {
  withoutStacks();
  const kind = kindNamed('lock');
  const plan = planOf(4, kind, { clients: 4, operations: 40, losesData: true });
  // As if it were forbidden that anybody is refused.
  const fails = async (smaller: Plan): Promise<boolean> => {
    const { operations } = await run(lua, smaller, kind);
    return operations.some(({ action, outcome }) => action === 'acquire' && outcome === 'no');
  };
  const smallest = await shrink(plan, fails);
  const steps = smallest.scripts.flatMap((script) => script.steps);

  expect(await fails(smallest)).toBe(true);
  // One who holds, and one who is refused; what else is left keeps them at one place in time.
  expect(steps.length).toBeLessThan(8);
  expect(steps.length).toBeLessThan(plan.scripts.flatMap((script) => script.steps).length / 2);
  expect(smallest.faults).toHaveLength(0);
});
