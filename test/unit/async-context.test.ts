import assert from 'node:assert';
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/core/base/clock.js';
import {
  afterTurn,
  currentContext,
  outside,
  outsider,
  runIn,
  soon,
  whenSettled,
} from '../../src/core/base/async-context.js';

const storage = new AsyncLocalStorage<string>();

/** What is stored where `start` has a callback run, when it is called in a context. */
async function storedIn(start: (callback: () => void) => void): Promise<string | undefined> {
  return await new Promise((resolve) => {
    storage.run('the caller', () => start(() => resolve(storage.getStore())));
  });
}

const clock = systemClock();

test.each<[string, (callback: () => void) => void]>([
  ['outside', outside],
  ['a handler of an outsider', (callback) => outsider(callback)()],
  ['a microtask', soon],
  ['the end of the turn', afterTurn],
  ['a promise that resolves', (callback) => whenSettled(Promise.resolve(), callback, () => {})],
  ['one that rejects', (callback) => whenSettled(Promise.reject(new Error()), () => {}, callback)],
  ['a timer', (callback) => clock.after(1, callback)],
  ['after the input', (callback) => clock.afterInput(callback)],
  ['what begins outside', (callback) => outside(() => void setImmediate().then(callback))],
])('in %s nothing of the caller is stored', async (_, start) => {
  expect(await storedIn(start)).toBeUndefined();
});

test('outside is a place to come back from, with a result or an error', () => {
  const [result, after] = storage.run('the caller', () => [
    outside(() => 'result'),
    storage.getStore(),
  ]);

  expect([result, after]).toEqual(['result', 'the caller']);
  expect(() => outside(() => assert.fail('own'))).toThrow('own');
});

test('a handler of an outsider gets its arguments', () => {
  const seen: unknown[] = [];

  outsider((a: number, b: string) => seen.push(a, b))(1, 'two');

  expect(seen).toEqual([1, 'two']);
});

test('a context that was kept is entered by what runs in it', () => {
  const context = storage.run('kept', currentContext);

  const stored = storage.run('another', () => runIn(context, () => storage.getStore()));

  expect(stored).toBe('kept');
});

test('what a task enters for good stays with it', () => {
  const context = storage.run('kept', currentContext);
  const enter = (): string | undefined => {
    const before = storage.getStore();
    storage.enterWith('left behind');
    return before;
  };

  const stored = [outside(enter), outside(enter), runIn(context, enter), runIn(context, enter)];

  expect(stored).toEqual([undefined, undefined, 'kept', 'kept']);
});
