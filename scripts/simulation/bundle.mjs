// @ts-check
// The simulation is TypeScript, which Node 20 does not run: it is bundled into one file.

import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** @returns {Promise<string>} the path of the bundle */
export async function bundleSimulation() {
  const outfile = `${root}node_modules/.cache/redlatch/simulate-${process.pid}.mjs`;
  await build({
    entryPoints: [`${root}test/simulation/main.ts`],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    sourcemap: true,
    outfile,
    logLevel: 'warning',
  });
  return outfile;
}

/** @param {string} bundle */
export async function removeBundle(bundle) {
  await Promise.all([bundle, `${bundle}.map`].map(async (file) => await rm(file, { force: true })));
}
