// @ts-check
// Programs of recipes in TypeScript, made ready for Node.js.

import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from './fresh.mjs';

/**
 * Compiles a recipe, without looking at its types: its decorators are those of `recipes/tsconfig.json`.
 *
 * @param {string} name
 * @param {string} [folder] where its packages are installed
 * @returns {Promise<string>} the program, in that folder
 */
export async function compileRecipe(name, folder = join(root, 'recipes')) {
  const outfile = join(folder, 'node_modules', '.redlatch-compiled', `${name}.mjs`);
  const entryPoints = [join(root, 'recipes', `${name}.ts`)];
  await build({ entryPoints, outfile, format: 'esm', target: 'node20', logLevel: 'error' });
  return outfile;
}
