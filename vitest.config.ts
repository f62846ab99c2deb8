import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/sequencer.js';

// The peer range spans two majors: the same suite runs against either.
const driver = process.env['REDLATCH_TEST_IOREDIS'] === '5' ? { ioredis: 'ioredis-5' } : {};
// Commands go past the driver, or through it where somebody watches it: the same suite runs on either way.
const wrapped =
  process.env['REDLATCH_TEST_WIRE'] === 'driver' ? ['test/support/wrapped-driver.mjs'] : [];

export default defineConfig({
  resolve: { alias: driver },
  test: {
    include: ['test/**/*.test.ts'],
    // They need a JDK and Maven: `npm run test:interop`.
    exclude: [...configDefaults.exclude, 'test/interop/**'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/endings.ts', ...wrapped],
    pool: 'forks',
    // Outages are made here all the time. The warnings are emitted, but not printed.
    execArgv: ['--disable-warning=RedlatchWarning'],
    // More than two cores: much of the time is spent waiting for leases to end.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    retry: 0,
    allowOnly: false,
    coverage: {
      provider: 'v8',
      include: ['src/**'],
      exclude: ['src/core/wire/scripts.generated.ts'],
    },
  },
});
