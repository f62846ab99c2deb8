import { expect, test } from 'vitest';
import { abortLater, emitLater } from '../../src/core/base/program-calls.js';
import { Events } from '../../src/core/observe/events.js';

const hold = { resource: 'jobs', kind: 'lock', holderId: 'me:1' } as const;

test('listeners run behind the code that reports, in the order of the reports', async () => {
  const [events, controller, told] = [new Events(), new AbortController(), [] as string[]];
  controller.signal.addEventListener('abort', () => told.push('abort'));
  events.on('released', () => told.push('released'));
  events.on('acquired', () => told.push('acquired'));

  events.report('acquired', { ...hold, waitedMs: 1 });
  abortLater(controller, undefined);
  events.report('released', { ...hold, heldMs: 1 });
  told.push('the end of the turn');
  await Promise.resolve();

  expect(told).toEqual(['the end of the turn', 'acquired', 'abort', 'released']);
});

test('what a listener causes comes behind what was reported before, and before anything else', async () => {
  const [events, told] = [new Events(), [] as string[]];
  events.on('acquired', () => {
    events.report('released', { ...hold, heldMs: 1 });
    throw new Error('thrown by a listener');
  });
  events.on('acquired', () => told.push('acquired'));
  events.on('released', () => told.push('released'));
  events.on('error', ({ error }) => told.push(error.message));

  events.report('acquired', { ...hold, waitedMs: 1 });
  const later = Promise.resolve().then(() => told.push('the next microtask'));
  await later;

  expect(told).toEqual(['acquired', 'released', 'thrown by a listener', 'the next microtask']);
});

test('an event that has come to be untrue is not emitted', async () => {
  const [events, told] = [new Events(), [] as string[]];
  let isTrue = true;
  events.on('acquired', () => (isTrue = false));
  events.on('released', () => told.push('released'));

  events.report('acquired', { ...hold, waitedMs: 1 });
  events.report('released', { ...hold, heldMs: 1 }, () => isTrue);
  await Promise.resolve();

  expect(told).toEqual([]);
});

test('one call that throws keeps no other from being made', async () => {
  const told: string[] = [];
  const listeners = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  const thrown = new Promise((resolve) => process.once('unhandledRejection', resolve));
  const emitter = { emit: (event: string) => told.push(event) };
  const broken = {
    emit: (): never => {
      throw new Error('no emitter');
    },
  };

  emitLater(emitter, 'first', undefined);
  emitLater(broken, 'second', undefined);
  emitLater(emitter, 'third', undefined);
  const error = await thrown;
  await new Promise(setImmediate);
  for (const listener of listeners) {
    process.on('unhandledRejection', listener);
  }

  expect(error).toEqual(new Error('no emitter'));
  expect(told).toEqual(['first', 'third']);
});
