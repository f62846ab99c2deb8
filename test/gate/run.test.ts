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

/** What a program prints of its nice value, and of that of its session where sessions are scheduled as one. Its parent
 * writes the latter behind its start, and may have to wait for the CPU. */
const showsNice = (session: string) => `
  const { readFileSync, existsSync } = await import('node:fs');
  const { setTimeout: delay } = await import('node:timers/promises');
  const file = '/proc/self/autogroup';
  const nice = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').at(-1) : '${session}');
  for (let i = 0; i < 500 && nice() !== '${session}'; i += 1) await delay(20);
  console.log('nice ' + (await import('node:os')).getPriority() + ', session ' + nice());
`;

const runModule = JSON.stringify(new URL('../../scripts/lib/run.mjs', import.meta.url).href);
const asModule = ['--input-type=module', '-e'];

test('what yields takes the CPU that others leave, and so does all that it starts', async () => {
  const script = `
    import { run } from ${runModule};
    ${showsNice('10')}
    const inner = ['--input-type=module', '-e', ${JSON.stringify(showsNice('10'))}];
    const { output } = await run(process.execPath, inner, { timeoutMs: 60000 });
    console.log(output);
  `;

  const { output } = await run(process.execPath, [...asModule, script], { yields: true });

  expect(output.trim().split(/\n+/u)).toEqual(['nice 10, session 10', 'nice 10, session 10']);
});

test('it competes when there is nothing left to yield to', async () => {
  const script = `
    import { run, stopYielding } from ${runModule};
    const inner = ['--input-type=module', '-e', ${JSON.stringify(showsNice('0'))}];
    const running = run(process.execPath, inner, { yields: true });
    stopYielding();
    console.log((await running).output);
  `;

  const { output } = await run(process.execPath, [...asModule, script], { timeoutMs: 60_000 });

  expect(output.trim()).toBe('nice 10, session 0');
});

test('a program has ended although what it has left keeps its output open', async () => {
  const left = ['-e', 'setTimeout(() => {}, 60000)'];
  const script = `
    const { spawn } = require('node:child_process');
    const options = { detached: true, stdio: 'inherit' };
    const { pid } = spawn(process.execPath, ${JSON.stringify(left)}, options);
    console.log(pid);
    process.exit(3);
  `;

  const { code, output } = await run(process.execPath, ['-e', script]);

  expect(code).toBe(3);
  process.kill(Number(output), 'SIGKILL');
});
