// @ts-check
// Ends a server whose parent died without a chance to do so. A small shell waits for the end of a
// pipe that only this process holds open, then kills the server and removes its folder.

import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

const script = 'cat >/dev/null; kill -9 "$1"; rm -rf -- "$2"';

/**
 * @param {number} pid
 * @param {string} folder
 * @returns {() => void} ends the guard, once the server is gone or its folder is not ours to remove
 */
export function guard(pid, folder) {
  // Detached: an interrupt from the keyboard must not end the guard before us.
  const shell = spawn('sh', ['-c', script, 'guard', String(pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  /** @type {import('node:net').Socket} */ (/** @type {unknown} */ (shell.stdin)).unref();

  const onExit = () => {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It is gone already.
    }
    shell.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', onExit);
  return () => {
    process.off('exit', onExit);
    shell.kill('SIGKILL');
  };
}
