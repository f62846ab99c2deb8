// @ts-check
// Which driver the tests run on: REDLATCH_TEST_IOREDIS is `5` or `iovalkey`, else it is ioredis 6.

const PACKAGES = new Map([
  ['5', 'ioredis-5'],
  ['iovalkey', 'iovalkey'],
]);

const chosen = process.env['REDLATCH_TEST_IOREDIS'] ?? '';

/** The package that `ioredis` stands for. */
export const driverPackage = PACKAGES.get(chosen) ?? 'ioredis';

/** For people. */
export const driverName = { ioredis: 'ioredis 6', 'ioredis-5': 'ioredis 5', iovalkey: 'iovalkey' }[
  driverPackage
];
