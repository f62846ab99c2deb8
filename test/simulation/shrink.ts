// Makes a failing plan as small as it goes, so that a person can read what it does.

import type { Plan, Script, Step } from './plan.js';

/** Whether a plan still fails. */
export type Fails = (plan: Plan) => Promise<boolean>;

/** How many plans are tried at most. */
const LIMIT = 600;

/**
 * Leaves out as much as possible: users, steps, faults, parts of steps. Each part that can go is
 * left out for good, until nothing more can go (greedy, as in delta debugging).
 */
export async function shrink(plan: Plan, fails: Fails): Promise<Plan> {
  let tries = 0;
  let smallest = plan;
  const tryOne = async (smaller: Plan): Promise<boolean> => {
    tries += 1;
    if (tries > LIMIT || !(await fails(smaller))) {
      return false;
    }
    smallest = smaller;
    return true;
  };
  for (let before = Number.NaN; sizeOf(smallest) !== before;) {
    before = sizeOf(smallest);
    for (const { lengthOf, without } of PARTS) {
      // From the end on, so that what is left keeps its place; big chunks first.
      for (let chunk = Math.max(1, lengthOf(smallest) >> 1); chunk >= 1; chunk >>= 1) {
        for (let at = lengthOf(smallest) - chunk; at >= 0; at -= chunk) {
          await tryOne(without(smallest, at, chunk));
        }
      }
    }
    await simplifySteps(() => smallest, tryOne);
  }
  return smallest;
}

interface Part {
  readonly lengthOf: (plan: Plan) => number;
  readonly without: (plan: Plan, at: number, count: number) => Plan;
}

function cutOut<T>(items: readonly T[], at: number, count: number): T[] {
  return [...items.slice(0, at), ...items.slice(at + count)];
}

const stepCount = (scripts: readonly Script[]): number =>
  scripts.reduce((sum, { steps }) => sum + steps.length, 0);

const PARTS: readonly Part[] = [
  {
    lengthOf: ({ scripts }) => scripts.length,
    without: (plan, at, count) => ({ ...plan, scripts: cutOut(plan.scripts, at, count) }),
  },
  {
    lengthOf: ({ faults }) => faults.length,
    without: (plan, at, count) => ({ ...plan, faults: cutOut(plan.faults, at, count) }),
  },
  {
    // Steps of all users, counted through.
    lengthOf: ({ scripts }) => stepCount(scripts),
    without: (plan, at, count) => {
      let seen = 0;
      const scripts = plan.scripts.map((script) => ({
        ...script,
        steps: script.steps.filter(() => {
          const place = seen;
          seen += 1;
          return place < at || place >= at + count;
        }),
      }));
      return { ...plan, scripts };
    },
  },
];

function sizeOf(plan: Plan): number {
  return JSON.stringify([plan.scripts, plan.faults]).length;
}

/** Takes from what users do, one by one: pauses, patience, leases, aborts, re-entries. */
async function simplifySteps(
  smallest: () => Plan,
  tryOne: (plan: Plan) => Promise<boolean>,
): Promise<void> {
  const { scripts } = smallest();
  for (const [i, { steps }] of scripts.entries()) {
    for (const j of steps.keys()) {
      const { act, pauseMs } = smallest().scripts[i]!.steps[j]!;
      if (pauseMs > 0) {
        await tryOne(withStep(smallest(), i, j, { act, pauseMs: 0 }));
      }
      for (const [option, value] of Object.entries(act)) {
        const simple = simpler(option, value);
        if (simple !== undefined) {
          const step = smallest().scripts[i]!.steps[j]!;
          const simpleAct = { ...step.act, [option]: simple.value };
          await tryOne(withStep(smallest(), i, j, { ...step, act: simpleAct }));
        }
      }
    }
  }
}

function simpler(option: string, value: unknown): { readonly value: unknown } | undefined {
  if (['waitMs', 'leaseMs', 'abortMs', 'extendMs'].includes(option)) {
    return { value: undefined };
  }
  if (option === 'names') {
    const names = value as readonly string[];
    return names.length > 1 ? { value: names.slice(1) } : undefined;
  }
  if (Array.isArray(value) && value.length > 0) {
    return { value: [] };
  }
  return value === true ? { value: false } : undefined;
}

function withStep(plan: Plan, i: number, j: number, step: Step): Plan {
  const scripts = plan.scripts.map((script, at) =>
    at === i ? { ...script, steps: script.steps.with(j, step) } : script,
  );
  return { ...plan, scripts };
}
