// @ts-check
// Builds dist: the package itself, and in dist/compiled, which is not published, the modules that it
// is made of. The new folder is renamed into place when it is complete, so that a test or demo which
// runs meanwhile never imports half a build.

import { existsSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle, declarations } from './lib/bundle.mjs';
import { root } from './lib/fresh.mjs';
import { runTool } from './lib/run.mjs';

/** @returns {Promise<{ ok: boolean, output: string }>} */
export async function build() {
  const fresh = join(root, `.dist-new-${process.pid}`);
  const old = join(root, `.dist-old-${process.pid}`);
  const startedAt = new Date();
  try {
    const compiled = join(fresh, 'compiled');
    const result = await runTool('tsc', ['-p', 'tsconfig.build.json', '--outDir', compiled]);
    if (result.code !== 0) {
      return { ok: false, output: result.output };
    }
    if (!existsSync(join(compiled, 'index.js'))) {
      return { ok: false, output: `${result.output}src/index.ts was not compiled\n` };
    }
    await bundle(compiled, fresh);
    const faults = declarations(compiled, fresh);
    if (faults !== '') {
      return { ok: false, output: faults };
    }
    // A source saved meanwhile makes the build stale: date it by its start.
    utimesSync(join(fresh, 'index.js'), startedAt, startedAt);
    if (existsSync(join(root, 'dist'))) {
      renameSync(join(root, 'dist'), old);
    }
    renameSync(fresh, join(root, 'dist'));
    return { ok: true, output: result.output };
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { ok, output } = await build();
  process.stdout.write(output);
  process.exitCode = ok ? 0 : 1;
}
