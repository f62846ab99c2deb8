// @ts-check
// Stryker, which makes mistakes in TypeScript: `npm run mutants:generated` says in which files.

export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'vitest.mutants.config.ts' },
  coverageAnalysis: 'perTest',
  // What runs once when a module is loaded is tried on every test, which takes too long.
  ignoreStatic: true,
  // It would read such a file with the compiler API of TypeScript 5. None of this name is there.
  tsconfigFile: 'none.json',
  // Nothing checks types here.
  disableTypeChecks: false,
  concurrency: 1,
  // Beside what its tests take without a mistake: many mistakes let a test wait for ever.
  timeoutMS: 2_500,
  tempDirName: 'temp/stryker/copies',
  ignorePatterns: ['dist', '.dist-*', 'out', 'temp', 'coverage'],
  reporters: ['json'],
  jsonReporter: { fileName: 'temp/stryker/latest.json' },
  logLevel: 'warn',
};
