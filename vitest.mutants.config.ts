import { defineConfig } from 'vitest/config';
import base from './vitest.config.js';

// Pure code with a clock that tests drive: no server, no build, and each mistake is tried in milliseconds.
export default defineConfig({
  test: {
    include: ['test/unit/**/*.test.ts'],
    setupFiles: base.test?.setupFiles ?? [],
    testTimeout: 15_000,
  },
});
