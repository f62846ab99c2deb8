// Child processes that run to their end, with what they printed.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { driverPackage } from './driver.mjs';

export interface NodeRun {
  /** null when it was ended because it took too long. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const otherDriver = new URL('other-driver.mjs', import.meta.url).href;

/**
 * Runs Node.js with these arguments, by default in the folder of this package.
 *
 * @param options.node the program, default the one that runs the tests
 * @param options.withinMs ends it after this long, default 20000
 */
export async function runNode(
  args: readonly string[],
  {
    cwd = root,
    env = {},
    node = process.execPath,
    withinMs = 20_000,
  }: { cwd?: string; env?: NodeJS.ProcessEnv; node?: string | undefined; withinMs?: number } = {},
): Promise<NodeRun> {
  // Elsewhere a program has its own driver.
  const isOther = driverPackage !== 'ioredis' && cwd === root;
  const hook = isOther ? ['--import', otherDriver] : [];
  const child = spawn(node, [...hook, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: withinMs,
    killSignal: 'SIGKILL',
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  return await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ code, ...output });
    });
  });
}
