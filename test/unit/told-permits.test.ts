// What a client remembers of the numbers of permits that it was told.

import { expect, test } from 'vitest';
import { Events } from '../../src/core/observe/events.js';
import { ToldPermits } from '../../src/core/permits/told-permits.js';

const setting = (count: number) => ({ count, onMismatch: 'keep' }) as const;

const semaphore = (key: string, told?: ReturnType<typeof setting>) =>
  ({ key, resource: key, kind: 'semaphore', told }) as const;

/** A command whose answer shows that a setting was compared, or found nothing. */
const answering = (answer: string) => ({
  answer,
  command: {
    script: { name: 'x', sha1: '', source: '', decode: String },
    operands: [],
  },
});

function settle(all: ToldPermits, key: string, note = ''): void {
  const { command, answer } = answering(`1${note}`);
  const noted = all.carry(semaphore(key))?.carriedBy(command);
  expect(noted?.script.decode(answer)).toBe('1');
}

test('a client remembers ten thousand names, and forgets those that were told longest ago', () => {
  const all = new ToldPermits(new Events());
  for (let i = 0; i < 10_000; i += 1) {
    all.tell(`name-${i}`, setting(1));
  }
  all.tell('name-0', setting(1));

  all.tell('one more', setting(1));

  expect(['name-0', 'name-1', 'name-2', 'one more'].map((key) => all.knows(key))).toEqual([
    true,
    false,
    true,
    true,
  ]);
});

test('a name that was forgotten is told again by an object that was told itself', () => {
  const all = new ToldPermits(new Events());
  const own = setting(7);
  expect(all.carry(semaphore('gone'))).toBeUndefined();

  expect(all.carry(semaphore('gone', own))?.text).toBe('keep 1 7');

  expect(all.knows('gone')).toBe(true);
});

test('after its first answer a setting is not carried, and a new one is stated for the first time', () => {
  const all = new ToldPermits(new Events());
  all.tell('gate', setting(5));
  expect(all.carry(semaphore('gate'))?.text).toBe('keep 1 5');
  settle(all, 'gate');
  expect(all.carry(semaphore('gate'))).toBeUndefined();

  all.tell('gate', setting(5));
  expect(all.carry(semaphore('gate'))).toBeUndefined();
  all.tell('gate', setting(6));

  expect(all.carry(semaphore('gate'))?.text).toBe('keep 1 6');
});

test('an answer that found nothing to compare leaves the setting to the next call', () => {
  const all = new ToldPermits(new Events());
  all.tell('gate', setting(5));
  settle(all, 'gate');
  all.tell('gate', setting(6));

  settle(all, 'gate', '!');

  expect(all.carry(semaphore('gate'))?.text).toBe('keep 1 6');
});

test('an answer to a setting that was replaced meanwhile tells nothing of it', () => {
  const events = new Events();
  const told: number[] = [];
  events.on('configured', ({ wanted }) => told.push(wanted));
  const all = new ToldPermits(events);
  all.tell('gate', setting(5));
  const { command, answer } = answering('1!3');
  const carried = all.carry(semaphore('gate'))?.carriedBy(command);
  all.tell('gate', setting(6));

  carried?.script.decode(answer);

  expect(told).toEqual([]);
  expect(all.carry(semaphore('gate'))?.text).toBe('keep 1 6');
});

test('of a name eight settings are remembered as compared, and the first of nine is not', () => {
  const all = new ToldPermits(new Events());
  for (let count = 1; count <= 9; count += 1) {
    all.tell('gate', setting(count));
    settle(all, 'gate');
  }

  all.tell('gate', setting(2));
  expect(all.carry(semaphore('gate'))).toBeUndefined();
  all.tell('gate', setting(1));
  expect(all.carry(semaphore('gate'))?.text).toBe('keep 1 1');
});
