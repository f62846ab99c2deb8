// @ts-check
// The verdict: the checkers of the simulation say whether a history is one of a lock, a semaphore or a latch. They
// are TypeScript, which Node 20 does not run, so they are bundled in memory.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { finding, goneOn } from './facts.mjs';

/** @typedef {import('../test/simulation/history.js').History} History */
/** @typedef {import('./facts.mjs').Finding} Finding */
/** @typedef {Partial<import('../test/simulation/checkers/bounds.js').Bounds>} Bounds */
/** @typedef {Partial<import('../test/simulation/checkers/counted.js').Counts>} Least */
/** @typedef {typeof import('../test/simulation/checkers/index.js') &
 *   typeof import('../test/simulation/checkers/counted.js') &
 *   typeof import('../test/simulation/checkers/fenced-store.js')} Checkers */

/** Milliseconds that a busy machine may take. */
const SLOW = { networkMs: 250, toldMs: 500, settleMs: 500 };

/** The demo deletes its keys itself, and of what a busy machine costs a lease the record says nothing. */
const LEFT_OUT = new Set(['nothing is left behind', 'nothing is lost without a cause']);

/** @returns {Promise<Checkers>} */
async function bundled() {
  const modules = ['index', 'counted', 'fenced-store'];
  const { outputFiles } = await build({
    stdin: {
      contents: modules.map((name) => `export * from './${name}.ts';`).join('\n'),
      resolveDir: fileURLToPath(new URL('../test/simulation/checkers', import.meta.url)),
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  return /** @type {Checkers} */ (await import(`data:text/javascript;base64,${code}`));
}

/** @type {Promise<Checkers> | undefined} */
let loading;

/**
 * @param {import('./facts.mjs').Scene} scene
 * @returns {Promise<{ scene: import('./facts.mjs').Scene, findings: Finding[] }>}
 */
export async function judged(scene) {
  const { history, act } = scene;
  const { checkAll, counts, missing, lostUpdates } = await (loading ??= bundled());
  const kinds = [act.kind, /** @type {const} */ ('latch')];
  const properties = checkAll(history, { kinds, bounds: { ...SLOW, ...act.bounds } })
    .filter(
      ({ name, checked, violations }) => checked + violations.length > 0 && !LEFT_OUT.has(name),
    )
    .map(({ name, checked, violations: [first, ...others] }) => {
      const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
      return finding(
        first === undefined,
        `${name} (${checked} looked at)`,
        `${name}: violated: ${first?.text.split('\n', 2).join(' ')}${more}`,
      );
    });
  const happened = counts(history);
  const short = missing(happened, act.least);
  const enough = `${happened.contended} of ${happened.grants} grants went to somebody who had waited for another`;
  const [times, lost] = [history.openStore.writes.length, lostUpdates(history.openStore)];
  const findings = [
    ...properties,
    finding(short.length === 0, enough, `too little happened: ${short.join('; ')}`),
    ...(times === 0 ? [] : [finding(lost === 0, `${lost} of ${times} writes were overwritten`)]),
    ...act.shown(scene),
    goneOn(scene),
  ];
  return { scene, findings };
}
