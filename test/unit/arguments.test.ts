import { describe, expect, test } from 'vitest';
import {
  checkChoice,
  checkInteger,
  checkLease,
  checkSignal,
  checkTask,
  checkWaiting,
  INT32_MAX,
} from '../../src/core/base/arguments.js';

describe('an integer', () => {
  test.each([1, 5, 10, 5.0])('in its range is answered: %d', (value) => {
    expect(checkInteger('count', value, 1, 10)).toBe(value);
  });

  test.each([0, 11, -1, Infinity, -Infinity, 2 ** 53])('out of its range: %d', (value) => {
    expect(() => checkInteger('count', value, 1, 10)).toThrow(RangeError);
    expect(() => checkInteger('count', value, 1, 10)).toThrow(
      `count must be an integer from 1 to 10, got ${value}`,
    );
  });

  test.each([[NaN], [1.5], ['5'], ['Infinity'], [''], [null], [undefined], [true], [5n], [[5]]])(
    'of the wrong type: %s',
    (value) => {
      expect(() => checkInteger('count', value, 1, 10)).toThrow(TypeError);
      expect(() => checkInteger('count', value, 1, 10)).toThrow(
        'count must be an integer from 1 to 10, got',
      );
    },
  );

  test.each([
    ['a symbol', Symbol('5')],
    ['an object without a prototype', Object.create(null)],
    ['an object with a value of its own', { valueOf: () => Infinity }],
    ['an object that cannot be converted', { valueOf: () => ({}), toString: () => ({}) }],
  ])('that is %s is of the wrong type, and told as such', (_, value) => {
    expect(() => checkInteger('count', value, 1, 10)).toThrow(TypeError);
    expect(() => checkInteger('count', value, 1, 10)).toThrow(
      /^count must be an integer from 1 to 10, got a value of type (symbol|object)$/,
    );
  });
});

test('a choice is one of the values that there are', () => {
  expect(checkChoice('mode', 'off', ['on', 'off'])).toBe('off');
  for (const bad of ['OFF', '', 'toString', 0, null, undefined, ['on'], new String('on')]) {
    expect(() => checkChoice('mode', bad, ['on', 'off'])).toThrow(TypeError);
    expect(() => checkChoice('mode', bad, ['on', 'off'])).toThrow(
      'mode must be one of "on", "off", got',
    );
  }
});

test('a signal is an AbortSignal or nothing', () => {
  const { signal } = new AbortController();

  expect(checkSignal(signal)).toBe(signal);
  expect(checkSignal(undefined)).toBeUndefined();
  for (const bad of [null, {}, { aborted: true }, 'abort', new AbortController()]) {
    expect(() => checkSignal(bad)).toThrow(TypeError);
  }
});

test('a task is a function', () => {
  expect(() => checkTask('task', () => {})).not.toThrow();
  for (const bad of [null, undefined, {}, 'task', Promise.resolve()]) {
    expect(() => checkTask('task', bad)).toThrow('task must be a function, got');
  }
});

test('a wait has a limit from 0 up, or none', () => {
  expect(checkWaiting({})).toEqual({ waitMs: undefined, signal: undefined });
  expect(checkWaiting({ waitMs: 0 }).waitMs).toBe(0);
  expect(checkWaiting({ waitMs: INT32_MAX }).waitMs).toBe(INT32_MAX);
  expect(() => checkWaiting({ waitMs: -1 })).toThrow(RangeError);
  expect(() => checkWaiting({ waitMs: null })).toThrow(TypeError);
});

test('a lease that is given is fixed; the one of the client is renewed', () => {
  expect(checkLease({}, 30_000)).toEqual({ leaseMs: 30_000, renewed: true });
  expect(checkLease({ leaseMs: undefined }, 30_000)).toEqual({ leaseMs: 30_000, renewed: true });
  expect(checkLease({ leaseMs: 1 }, 30_000)).toEqual({ leaseMs: 1, renewed: false });
  expect(() => checkLease({ leaseMs: 0 }, 30_000)).toThrow(RangeError);
  expect(() => checkLease({ leaseMs: INT32_MAX + 1 }, 30_000)).toThrow(RangeError);
});
