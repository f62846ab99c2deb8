// Set up before a test file: the library then takes time and timers from the globals at each call, as it never
// does otherwise, so that a test can stop them.

import { vi } from 'vitest';

vi.mock('../../src/core/base/natives.js', async (original) => ({
  ...(await original<object>()),
  setTimeout: (task: () => void, delayMs: number) => globalThis.setTimeout(task, delayMs),
  clearTimeout: (timer: NodeJS.Timeout) => {
    globalThis.clearTimeout(timer);
  },
  setInterval: (task: () => void, delayMs: number) => globalThis.setInterval(task, delayMs),
  clearInterval: (timer: NodeJS.Timeout) => {
    globalThis.clearInterval(timer);
  },
  monotonicMs: () => globalThis.performance.now(),
  wallMs: () => Date.now(),
}));
