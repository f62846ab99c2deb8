import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { whenAborted } from '../../src/core/waiting/abort-waits.js';

const count = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

test('all waits of a signal are ended when it aborts, in their order, each once', () => {
  const controller = new AbortController();
  const ended: number[] = [];
  for (const i of [1, 2, 3]) {
    whenAborted(controller.signal, () => ended.push(i));
  }

  controller.abort();
  controller.abort();

  expect(ended).toEqual([1, 2, 3]);
  expect(count(controller.signal)).toBe(0);
});

test('a wait may end others and begin new ones while it is ended', () => {
  const controller = new AbortController();
  const { signal } = controller;
  const ended: string[] = [];
  whenAborted(signal, () => {
    ended.push('first');
    stopSecond();
    whenAborted(signal, () => ended.push('new'));
  });
  const stopSecond = whenAborted(signal, () => ended.push('second'));
  whenAborted(signal, () => ended.push('third'));

  controller.abort();

  expect(ended).toEqual(['first', 'new', 'third']);
  expect(count(signal)).toBe(0);
});

test('a wait for a signal that has aborted is ended at once', () => {
  const ended: string[] = [];

  const stop = whenAborted(AbortSignal.abort(), () => ended.push('at once'));
  stop();

  expect(ended).toEqual(['at once']);
});

test('one listener serves all waits of a signal, until the last of them has stopped', () => {
  const { signal } = new AbortController();
  const counts: number[] = [];
  const stops: (() => void)[] = [];

  for (const wait of [() => {}, () => {}, () => {}]) {
    stops.push(whenAborted(signal, wait));
    counts.push(count(signal));
  }
  for (const stop of stops) {
    stop();
    stop();
    counts.push(count(signal));
  }
  const stopAgain = whenAborted(signal, () => {});
  counts.push(count(signal));

  expect(counts).toEqual([1, 1, 1, 1, 1, 0, 1]);
  stopAgain();
});

test('starting and stopping costs the same however many wait', () => {
  const { signal } = new AbortController();
  const stops = Array.from({ length: 50_000 }, (_, i) => whenAborted(signal, () => i));

  // With a list to search in, these would be billions of steps.
  for (const stop of stops.toReversed()) {
    stop();
  }

  expect(count(signal)).toBe(0);
});
