// What getSemaphore and getPermitExpirableSemaphore refuse of `permits`, at once.

import { describe, expect, test } from 'vitest';
import type { Client } from '../../../src/index.js';
import { testScope } from '../../support/scope.js';
import { badIntegers, expectInteger, INT32_MAX, thrown } from './bad-input.js';

const scope = testScope('bad-setting');
const name = (): string => scope.name();
const client = (): Client => scope.client();

const getters: [string, (own: Client, options: unknown) => unknown][] = [
  ['getSemaphore', (own, options) => own.getSemaphore(name(), options as object)],
  [
    'getPermitExpirableSemaphore',
    (own, options) => own.getPermitExpirableSemaphore(name(), options as object),
  ],
];

/** An object is a setting, and judged as one. */
const isSetting = (value: unknown): boolean => value?.constructor === Object;

describe.each(getters)('%s', (_, get) => {
  test('refuses a number of permits that is no integer in its range', () => {
    const own = client();

    for (const bad of badIntegers(0, INT32_MAX).filter(({ value }) => !isSetting(value))) {
      const error = thrown(() => get(own, { permits: bad.value }));
      expectInteger(error, 'permits', [0, INT32_MAX], bad);
    }
  });

  test('refuses a count that is no integer in its range, or is not there', () => {
    const own = client();

    for (const bad of badIntegers(0, INT32_MAX)) {
      const error = thrown(() => get(own, { permits: { count: bad.value } }));
      expectInteger(error, 'permits.count', [0, INT32_MAX], bad);
    }
    expect(String(thrown(() => get(own, { permits: {} })))).toBe(
      'TypeError: permits.count must be an integer from 0 to 2147483647, got undefined',
    );
  });

  test('refuses an idleMs that is no integer in its range', () => {
    const own = client();

    for (const bad of badIntegers(1_000, INT32_MAX)) {
      const error = thrown(() => get(own, { permits: { count: 1, idleMs: bad.value } }));
      expectInteger(error, 'permits.idleMs', [1_000, INT32_MAX], bad);
    }
    expect(String(thrown(() => get(own, { idleMs: 5_000 })))).toMatch(
      /^TypeError: .*idleMs.*it is part of permits/u,
    );
  });

  test.each([null, 1, true, 'KEEP', '', {}])('refuses onMismatch %j', (onMismatch) => {
    const error = thrown(() => get(client(), { permits: { count: 1, onMismatch } }));

    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toContain(
      'permits.onMismatch must be one of "keep", "set", "error", got ',
    );
  });

  test.each([null, 5, 'permits', [], true])('refuses %j in place of the options', (options) => {
    const error = thrown(() => get(client(), options));

    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toContain('options must be an object, got ');
  });

  test('says how a number in place of the options is written', () => {
    expect(String(thrown(() => get(client(), 5)))).toBe(
      'TypeError: options must be an object, got 5: write { permits: 5 }',
    );
  });

  test('takes what is not given, as undefined', () => {
    const own = client();

    get(own, undefined);
    get(own, {});
    get(own, { permits: undefined });
    get(own, { permits: { count: 0, onMismatch: undefined, idleMs: undefined } });
    get(own, { permits: { count: 0, idleMs: INT32_MAX } });
    get(own, { permits: INT32_MAX });
  });
});

test.each(['set', 'error'] as const)('a counting semaphore refuses onMismatch %s', (onMismatch) => {
  const error = thrown(() => client().getSemaphore(name(), { permits: { count: 5, onMismatch } }));

  expect(error).toBeInstanceOf(RangeError);
  expect((error as Error).message).toBe(
    'permits.onMismatch must be "keep" for a counting semaphore, of whose permits the server ' +
      `stores only those that are left, got "${onMismatch}"`,
  );
});
