// @ts-check
// The static checks of `npm test` and `npm run check`, and a runner that works on two at a time.

import { run, runTool } from './run.mjs';

/**
 * @typedef {{ ok: boolean, output: string }} Outcome
 * @typedef {object} Stage
 * @property {string} name
 * @property {string[]} after stages that must have ended before: they write what this one reads
 * @property {boolean} [needsBuild] makes no sense when the build failed
 * @property {() => Promise<Outcome>} run
 *
 * @typedef {object} StageResult
 * @property {string} name
 * @property {boolean} ok
 * @property {number} ms
 * @property {string} output
 */

/**
 * @param {...(() => Promise<import('./run.mjs').RunResult>)} steps
 * @returns {() => Promise<Outcome>} runs them in order, all of them
 */
function inOrder(...steps) {
  return async () => {
    let ok = true;
    let output = '';
    for (const step of steps) {
      const result = await step();
      ok &&= result.code === 0;
      output += result.timedOut ? `${result.output}\nFAIL not done in time\n` : result.output;
    }
    return { ok, output };
  };
}

/** A check of a minute may take several where the others leave no CPU. */
const LIMITED = { yields: true, timeoutMs: 10 * 60_000 };

const node = async (/** @type {string[]} */ ...args) => await run(process.execPath, args, LIMITED);
const tool = async (/** @type {string} */ name, /** @type {string[]} */ ...args) =>
  await runTool(name, args, LIMITED);

/** @type {Stage[]} */
export const stages = [
  {
    name: 'build',
    after: [],
    run: inOrder(async () => await run(process.execPath, ['scripts/build.mjs'])),
  },
  {
    name: 'typecheck',
    after: ['build'],
    // Each thread more would check some types again, and no core is idle.
    run: inOrder(async () => await tool('tsc', '-p', 'tsconfig.json', '--singleThreaded')),
  },
  {
    name: 'examples',
    after: ['build'],
    needsBuild: true,
    run: inOrder(async () => await node('scripts/check-examples.mjs')),
  },
  {
    name: 'documents',
    after: ['build'],
    run: inOrder(async () => await tool('vitest', 'run', 'test/examples/readme.test.ts')),
  },
  { name: 'lint', after: ['build'], run: inOrder(async () => await tool('oxlint')) },
  {
    name: 'format',
    after: [],
    run: inOrder(
      async () => await tool('oxfmt', '--check'),
      async () => await node('scripts/format-lua.mjs'),
    ),
  },
  { name: 'rooms', after: [], run: inOrder(async () => await node('scripts/rooms.mjs')) },
  {
    name: 'generated',
    after: [],
    run: inOrder(async () => await node('scripts/generate-scripts.mjs', '--check')),
  },
  {
    name: 'api report',
    after: ['build'],
    needsBuild: true,
    run: inOrder(async () => await tool('api-extractor', 'run')),
  },
  {
    // Every way to resolve it: TypeScript's node10, node16 from both sides, and bundler.
    name: 'package',
    after: ['build'],
    needsBuild: true,
    run: inOrder(
      async () => await tool('publint', '--strict'),
      async () => await tool('attw', '--pack', '.', '--profile', 'strict'),
    ),
  },
  { name: 'knip', after: [], run: inOrder(async () => await tool('knip')) },
];

/**
 * Runs stages, at most two at a time, each after those it needs.
 *
 * @param {Stage[]} chosen
 * @param {(result: StageResult) => void} report called as each ends
 * @returns {Promise<void>}
 */
export async function runStages(chosen, report) {
  /** @type {Map<string, StageResult>} */
  const done = new Map();
  const waiting = [...chosen];
  const names = new Set(chosen.map((stage) => stage.name));
  const isReady = (/** @type {Stage} */ stage) =>
    stage.after.every((name) => !names.has(name) || done.has(name));

  const runOne = async (/** @type {Stage} */ stage) => {
    const startedAt = performance.now();
    const outcome =
      stage.needsBuild === true && done.get('build')?.ok === false
        ? { ok: false, output: 'not run: there is no build\n' }
        : await stage.run().catch((error) => ({ ok: false, output: String(error) }));
    const result = { name: stage.name, ms: performance.now() - startedAt, ...outcome };
    done.set(stage.name, result);
    report(result);
  };

  /** @type {Set<Promise<void>>} */
  const running = new Set();
  while (waiting.length > 0 || running.size > 0) {
    const at = running.size < 2 ? waiting.findIndex(isReady) : -1;
    const [stage] = at === -1 ? [] : waiting.splice(at, 1);
    if (stage === undefined) {
      await Promise.race(running);
    } else {
      const task = runOne(stage).finally(() => running.delete(task));
      running.add(task);
    }
  }
}
