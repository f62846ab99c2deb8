// What holds for all public types, whatever is added to them.

import { expect, test } from 'vitest';
import { optionalProperties, readReport } from './report.js';

/** Nobody passes these to us: they are results. */
const RESULTS = [
  'ClientEvents.error',
  'ClientEvents.uninitialised',
  'ClientEvents.note',
  'ClientEvents.part',
  'Hold.fencingToken',
];

test('every option may be given as undefined, for exactOptionalPropertyTypes', () => {
  const options = optionalProperties(readReport());

  const refusing = options.filter((option) => !option.takesUndefined).map(({ path }) => path);
  expect(refusing).toEqual(RESULTS);
  expect(options.map(({ path }) => path)).toEqual(
    expect.arrayContaining([
      'ClientOptions.redis',
      'AcquireOptions.waitMs',
      'LockAcquireOptions.within',
      'WaitOptions.signal',
      'Client.timeoutMs',
      'CountDownLatch.ttlMs',
      'Semaphore.permits',
      'CoordinationErrorOptions.resource',
    ]),
  );
});

test.each([
  ['interface Options { waitMs?: number }', 'Options.waitMs'],
  ['interface Options { waitMs?: number; signal?: AbortSignal | undefined }', 'Options.waitMs'],
  ['interface It { call(options?: { ttlMs?: number | null }): void }', 'It.ttlMs'],
  ['type Options = { mode?: "on" | "off" }', 'Options.mode'],
  ['declare function make(options?: { waitMs?: number }): void', 'make.waitMs'],
])('an option that refuses undefined is found: %s', (source, path) => {
  const refusing = optionalProperties(source).filter((option) => !option.takesUndefined);

  expect(refusing.map((option) => option.path)).toEqual([path]);
});
