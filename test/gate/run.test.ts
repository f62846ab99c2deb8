// A program with a time limit, and what it starts.

import { expect, test } from 'vitest';
import { run } from '../../scripts/lib/run.mjs';
import { eventually } from '../support/eventually.js';

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A program that has started another, whose pid it prints, and does not end when it is asked to. */
const parent = `
  const { spawn } = require('node:child_process');
  process.on('SIGTERM', () => {});
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
  console.log(other.pid);
`;

test('the time limit ends what a program has started, too', async () => {
  const { timedOut, output } = await run(process.execPath, ['-e', parent], { timeoutMs: 2_000 });

  expect(timedOut).toBe(true);
  const [other = 0] = output.split('\n').map(Number);
  expect(other).toBeGreaterThan(0);
  await eventually(() => !isThere(other));
});

test('a program that has ended leaves nothing behind that it has started', async () => {
  const leaves = parent.replace("'inherit'", "'ignore'").concat('process.exit(3);');
  const { code, timedOut, output } = await run(process.execPath, ['-e', leaves], {
    timeoutMs: 60_000,
  });

  expect([code, timedOut]).toEqual([3, false]);
  await eventually(() => !isThere(Number(output)));
});

test('a program that ends by a signal takes along what it runs, and what that runs', async () => {
  const module = JSON.stringify(new URL('../../scripts/lib/run.mjs', import.meta.url).href);
  const running = (args: readonly string[]): string[] => [
    '--input-type=module',
    '-e',
    `import { run } from ${module};
     await run(process.execPath, ${JSON.stringify(args)}, { show: true, timeoutMs: 60000 });`,
  ];
  const leaf = ['-e', 'console.log(process.pid); setInterval(() => {}, 1000)'];

  const { output } = await run(process.execPath, running(running(leaf)), { timeoutMs: 6_000 });

  expect(Number(output)).toBeGreaterThan(0);
  await eventually(() => !isThere(Number(output)));
});

test('what yields runs at low priority, and so does all that it starts', async () => {
  // Its nice value, and that of its session where sessions are scheduled as one.
  const shows = `
    const { readFileSync, existsSync } = await import('node:fs');
    const file = '/proc/self/autogroup';
    const nice = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').at(-1) : '5');
    // Its parent writes it behind its start, and may have to wait for the CPU.
    const { setTimeout: delay } = await import('node:timers/promises');
    for (let i = 0; i < 500 && nice() !== '5'; i += 1) await delay(20);
    const session = nice();
    console.log('nice ' + (await import('node:os')).getPriority() + ', session ' + session);
  `;
  const script = `
    import { run } from ${JSON.stringify(new URL('../../scripts/lib/run.mjs', import.meta.url).href)};
    ${shows}
    const inner = ['--input-type=module', '-e', ${JSON.stringify(shows)}];
    const { output } = await run(process.execPath, inner, { timeoutMs: 60000 });
    console.log(output);
  `;

  const { output } = await run(process.execPath, ['--input-type=module', '-e', script], {
    yields: true,
  });

  expect(output.trim().split(/\n+/u)).toEqual(['nice 5, session 5', 'nice 5, session 5']);
});
