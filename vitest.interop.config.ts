import { configDefaults, defineConfig } from 'vitest/config';
import base from './vitest.config.js';

// Beside a Java program, which `npm run test:interop` builds first.
export default defineConfig({
  test: {
    ...base.test,
    include: ['test/interop/**/*.test.ts'],
    exclude: configDefaults.exclude,
    maxWorkers: 2,
    testTimeout: 60_000,
  },
});
