import { configDefaults, defineConfig } from 'vitest/config';
import base from './vitest.config.js';

// Beside a Java program, which `npm run test:interop` builds first.
export default defineConfig({
  plugins: base.plugins ?? [],
  test: {
    ...base.test,
    include: ['test/interop/**/*.test.ts'],
    exclude: configDefaults.exclude,
    // Some of these tests stop all timers: whatever Node does then, it does because of a message.
    setupFiles: [base.test?.setupFiles ?? [], 'test/support/global-timers.ts'].flat(),
    maxWorkers: 2,
    testTimeout: 60_000,
  },
});
