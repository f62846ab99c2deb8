import { expect, test } from 'vitest';
import { lossSignal, type LossSignal } from '../../src/core/lease/loss-signal.js';
import { LeaseLostError } from '../../src/errors.js';

function stage(): { lose: () => LeaseLostError; controller: LossSignal } {
  let lost: LeaseLostError | undefined;
  const lose = (): LeaseLostError => {
    lost = new LeaseLostError('the lease was lost', 'expired');
    return lost;
  };
  return { lose, controller: lossSignal(() => lost) };
}

test('as long as nothing is lost, it is a signal that has not aborted', () => {
  const { signal } = stage().controller;

  expect(signal).toBeInstanceOf(AbortSignal);
  expect([signal.aborted, signal.reason]).toEqual([false, undefined]);
  expect(() => signal.throwIfAborted()).not.toThrow();
});

test.each([
  ['aborted', (signal: AbortSignal) => signal.aborted],
  ['reason', (signal: AbortSignal) => signal.reason !== undefined],
])('reading %s finds the loss before anything told it, and fires the event', async (_, read) => {
  const { lose, controller } = stage();
  const { signal } = controller;
  const events: unknown[] = [];
  signal.addEventListener('abort', () => events.push(signal.reason));
  const error = lose();

  const found = read(signal);

  expect(found).toBe(true);
  expect([signal.aborted, signal.reason]).toEqual([true, error]);
  expect(events, 'before the code that reads it is done').toEqual([]);
  await Promise.resolve();
  expect(events).toEqual([error]);
});

test('throwIfAborted finds the loss before anything told it', () => {
  const { lose, controller } = stage();
  const error = lose();

  expect(() => controller.signal.throwIfAborted()).toThrow(error);
});

test('the event is fired once, however often the loss is found and told', async () => {
  const { lose, controller } = stage();
  const { signal } = controller;
  let events = 0;
  signal.addEventListener('abort', () => (events += 1));
  const error = lose();

  controller.lost(error);
  controller.lost(error);
  await Promise.resolve();

  expect([signal.aborted, signal.aborted, events]).toEqual([true, true, 1]);
});

test('once it fires the event, it is what the runtime has made of it', async () => {
  const { lose, controller } = stage();
  const { signal } = controller;
  const own = [Object.getOwnPropertyNames(signal)];
  signal.addEventListener('abort', () => own.push(Object.getOwnPropertyNames(signal)));

  const error = lose();
  controller.lost(error);
  await Promise.resolve();

  // `abort()` of Deno does nothing where `signal.aborted` is true.
  expect(own).toEqual([['aborted', 'reason', 'throwIfAborted'], []]);
  expect([signal.aborted, signal.reason]).toEqual([true, error]);
  expect(() => signal.throwIfAborted()).toThrow(error);
});

test('a signal made after the loss has aborted from the start', () => {
  const error = new LeaseLostError('the lease was lost', 'deleted');

  const { signal } = lossSignal(() => error);

  expect([signal.aborted, signal.reason]).toEqual([true, error]);
  expect(AbortSignal.any([signal]).reason).toBe(error);
});

test('signals derived from it learn of the loss by its event', async () => {
  const { lose, controller } = stage();
  const derived = AbortSignal.any([controller.signal, new AbortController().signal]);
  const error = lose();

  controller.lost(error);
  await Promise.resolve();

  expect([derived.aborted, derived.reason]).toEqual([true, error]);
});

test('a signal that is first taken after the loss has aborted, and calls no listener', () => {
  const error = new LeaseLostError('the lease was lost', 'expired');
  const { signal } = lossSignal(() => error);
  const events: unknown[] = [];
  signal.addEventListener('abort', () => events.push(signal.reason));

  expect([signal.aborted, signal.reason]).toEqual([true, error]);
  expect(events).toEqual([]);
});
