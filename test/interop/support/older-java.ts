// A fair lock with a name mapper in an older Redisson: a program of its own for each version.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Finishing } from '../../faults/world.js';
import { jdkProgram } from '../../../scripts/lib/java.mjs';

/** As `scripts/interop.mjs` builds them. */
export type OlderVersion = '3.51.0' | '3.52.0';

/** A Java process that waits for a fair lock, under a mapper that puts the prefix in front of each name. */
export function startFairWaiter(
  context: Finishing,
  version: OlderVersion,
  wanted: { readonly url: string; readonly prefix: string; readonly name: string },
): { readonly lines: AsyncIterator<string> } {
  const folder = fileURLToPath(new URL(`../java-older/target/${version}`, import.meta.url));
  const logging = '-Dorg.slf4j.simpleLogger.defaultLogLevel=error';
  const flags = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx256m', logging];
  const main = ['-cp', `${folder}/classes:${folder}/lib/*`, 'redlatch.older.FairWaiter'];
  const child = spawn(
    jdkProgram('java'),
    [...flags, ...main, wanted.url, wanted.prefix, wanted.name],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  context.onTestFinished(async () => {
    const ended = child.exitCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGKILL');
    await ended;
  });
  return { lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}
