import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { driverPackage } from './test/support/driver.mjs';
import { LongestFirst } from './test/support/sequencer.js';

// The peer range spans two majors, and there is a fork: the same suite runs against each.
const driver = driverPackage === 'ioredis' ? {} : { ioredis: driverPackage };
// Commands go past the driver, or through it where somebody watches it: the same suite runs on either way.
const wrapped =
  process.env['REDLATCH_TEST_WIRE'] === 'driver' ? ['test/support/wrapped-driver.mjs'] : [];

const root = fileURLToPath(new URL('.', import.meta.url));

/** `npm test` has built by then. Node.js loads what is compiled in a third of the time that a transformation takes. */
const isCompiled = process.env['REDLATCH_TEST_COMPILED'] === '1';
const compiled = {
  name: 'compiled-sources',
  enforce: 'pre' as const,
  resolveId(source: string, importer: string | undefined): string | undefined {
    const isRelative = importer !== undefined && source.startsWith('.');
    const path = isRelative ? join(dirname(importer), source) : '';
    return path.startsWith(`${root}src/`) && path.endsWith('.js')
      ? `${root}dist/compiled/${path.slice(root.length + 'src/'.length)}`
      : undefined;
  },
};

export default defineConfig({
  plugins: isCompiled ? [compiled] : [],
  resolve: { alias: driver },
  test: {
    include: ['test/**/*.test.ts'],
    // They need a JDK and Maven: `npm run test:interop`.
    exclude: [...configDefaults.exclude, 'test/interop/**'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/endings.ts', ...wrapped],
    server: { deps: { external: [/\/dist\/compiled\//] } },
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
