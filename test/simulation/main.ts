// One process of `npm run simulate`: runs every so manieth seed, and tells its parent what it found.

import { parseArgs } from 'node:util';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { judge, type Judgement } from './judge.js';
import { KINDS } from './kinds/index.js';
import type { KindOfObject } from './kinds/kind.js';
import { planOf, type Plan } from './plan.js';
import { run } from './run.js';
import { shrink } from './shrink.js';
import { Listener, storyOf } from './story.js';
import { TraceHash } from './trace-hash.js';

// Thousands of errors are made on purpose, and nobody reads where.
Error.stackTraceLimit = 0;

/** The parent is told after so many seeds. */
const BATCH = 50;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '0' },
    end: { type: 'string', default: '1' },
    step: { type: 'string', default: '1' },
    only: { type: 'string' },
    replay: { type: 'boolean', default: false },
    first: { type: 'boolean', default: false },
    traces: { type: 'boolean', default: false },
  },
});

/** So many failing seeds are made small and told; the others are only counted. */
const TOLD = values.first ? 0 : 3;

/** Each is made small for so long: one order may take ten seconds to find. */
const SHRINKING_MS = 60_000;

interface Sums {
  done: number;
  counted: number;
  readonly properties: Record<string, { checked: number; violations: number }>;
  readonly happened: Record<string, number>;
  readonly failures: { seed: number; text: string }[];
  readonly traces: { seed: number; kind: string; hash: string }[];
}

const newSums = (): Sums => ({
  done: 0,
  counted: 0,
  properties: {},
  happened: {},
  failures: [],
  traces: [],
});

function kindOf(seed: number): KindOfObject {
  const wanted =
    values.only === undefined
      ? KINDS[seed % KINDS.length]
      : KINDS.find(({ kind }) => kind === values.only);
  if (wanted === undefined) {
    const known = KINDS.map(({ kind }) => `"${kind}"`).join(', ');
    throw new RangeError(`--only must be one of ${known}, got "${values.only}"`);
  }
  return wanted;
}

function add(sums: Sums, { isCounted, findings, happened }: Judgement): void {
  sums.done += 1;
  sums.counted += Number(isCounted);
  for (const { name, checked, violations } of findings) {
    const sum = (sums.properties[name] ??= { checked: 0, violations: 0 });
    sum.checked += checked;
    sum.violations += violations.length;
  }
  for (const [name, count] of Object.entries<number>({ ...happened })) {
    sums.happened[name] = (sums.happened[name] ?? 0) + count;
  }
}

/** The smallest plan that breaks the same property, and its story. */
async function explain(lua: LuaEngine, plan: Plan, kind: KindOfObject, broken: string) {
  const startedAt = performance.now();
  const fails = async (smaller: Plan): Promise<boolean> => {
    if (performance.now() - startedAt > SHRINKING_MS) {
      return false;
    }
    const found = judge(await run(lua, smaller, kind), smaller);
    return found.violations.some(({ property }) => property === broken);
  };
  const smallest = await shrink(plan, fails);
  return await tell(lua, smallest, kind);
}

async function tell(lua: LuaEngine, plan: Plan, kind: KindOfObject): Promise<string> {
  const listener = new Listener();
  listener.learn(Object.values(scripts));
  const history = await run(lua, plan, kind, listener.trace);
  const { violations } = judge(history, plan);
  const found = violations.map(
    ({ property, at, text }) => `  ${property}, at ${at.toFixed(3)}: ${text}`,
  );
  return [...found, storyOf(history, listener.lines)].join('\n');
}

/** The seed that is being run. */
let running = Number.NaN;

/** Without a parent nobody reads what is found. */
function report(sums: Sums): void {
  process.send?.(sums, undefined, undefined, (error) => {
    if (error !== null) {
      process.exit(1);
    }
  });
}

async function work(lua: LuaEngine): Promise<void> {
  const [from, end, step] = [Number(values.seed), Number(values.end), Number(values.step)];
  let sums = newSums();
  let told = 0;
  for (let seed = from; seed < end; seed += step) {
    running = seed;
    const kind = kindOf(seed);
    if (values.traces && kind !== KINDS[seed % KINDS.length]) {
      // Traces are of the kinds in turn.
      sums.done += 1;
      continue;
    }
    const plan = planOf(seed, kind);
    const hash = values.traces ? new TraceHash() : undefined;
    const history = await run(lua, plan, kind, hash?.trace);
    const judgement = judge(history, plan);
    add(sums, judgement);
    if (hash !== undefined) {
      sums.traces.push({ seed, kind: kind.kind, hash: hash.digest(history) });
    }
    const [violation] = judgement.violations;
    if (violation !== undefined) {
      const title = `seed ${seed} (${kind.kind}): ${violation.property}: ${violation.text}`;
      const story = told < TOLD ? await explain(lua, plan, kind, violation.property) : '';
      told += 1;
      sums.failures.push({ seed, text: `${title}\n${story}` });
    } else if (values.replay) {
      process.stdout.write(`${await tell(lua, plan, kind)}\n`);
    }
    if (values.first && sums.failures.length > 0) {
      break;
    }
    if (sums.done >= BATCH || sums.failures.length > 0) {
      report(sums);
      sums = newSums();
    }
  }
  report(sums);
}

process.on('unhandledRejection', (error) => {
  process.stderr.write(`seed ${running} left a rejection unhandled: ${String(error)}\n`);
  process.exit(1);
});

await work(await LuaEngine.load());
