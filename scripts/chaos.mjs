// @ts-check
// `npm run chaos`: clients of all kinds of object, and everything that can go wrong at once, for as
// long as is wanted. The last line is "N passed, N failed".
//
//   node scripts/chaos.mjs [--minutes M] [--seed S]
//
// --minutes  how long, default 10
// --seed     the first seed, default a random one; each further one is one more
//
// REDLATCH_TEST_SEED=S npm test -- test/chaos repeats a single one.

import { parseArgs } from 'node:util';
import { seedFrom } from './gate/seeds.mjs';
import { runChaos } from './lib/chaos.mjs';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  throw new RangeError(`--minutes must be a number above 0, got "${values.minutes}"`);
}
const { passed, failed } = await runChaos({ minutes, seed: seedFrom('seed', values.seed) });
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
