// @ts-check
// Other libraries, side by side with redlatch in one run.
import { buildRedisson } from '../lib/redisson.mjs';
import { contendedLocks, readWriteLocks, semaphores } from './contended.mjs';
import { crash } from './crash.mjs';
import { idle } from './idle.mjs';
import { quiet } from './quiet.mjs';
import { uncontended } from './uncontended.mjs';

/** @type {import('../figures/index.mjs').Figure} */
export const peers = {
  id: 'peers',
  title: 'beside other libraries',
  async measure(bench) {
    const hasJava = await buildRedisson();
    if (!hasJava) {
      process.stderr.write('  without Redisson: there is no JDK, or no Maven\n');
    }
    return [
      ...(await uncontended(bench)),
      ...(await contendedLocks(bench, hasJava)),
      ...(await semaphores(bench)),
      ...(await readWriteLocks(bench, hasJava)),
      ...(await quiet(bench)),
      ...(await idle(bench)),
      ...(await crash(bench)),
    ];
  },
};
