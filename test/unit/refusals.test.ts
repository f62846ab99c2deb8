import { expect, test } from 'vitest';
import { Refusals } from '../../src/core/connection/refusals.js';
import { Call, type PendingCall } from '../../src/core/wire/call.js';
import { fakeClock, LARGEST } from '../support/fake-clock.js';

const READONLY = new Error("READONLY You can't write against a read only replica.");
const NOPERM = new Error("NOPERM this user has no permissions to run the 'set' command");

const call = (): PendingCall =>
  new Call(
    {
      script: { name: 'any', sha1: '', source: '', decode: (reply: unknown) => reply },
      operands: [],
    },
    { answered: () => {}, failed: () => {} },
    true,
    { failed: () => {}, unheard: () => {} },
  );

/** Lets what a timer started come to its end. */
const turn = async (): Promise<void> => {
  await new Promise((resolve) => setImmediate(resolve));
};

test('a refused call that is carried out ends the report of a user who may not do the write', async () => {
  const clock = fakeClock();
  const answers = [NOPERM, READONLY, NOPERM];
  const ended: unknown[] = [];
  const refusals = new Refusals(
    { clock, random: LARGEST },
    {
      health: { down: () => {}, shown: () => {}, up: (_, source) => ended.push(source) },
      maxPauseMs: 1_000,
    },
    'a server',
    // The connection that READONLY ended gives its reason for what was under way.
    async () => await Promise.reject(answers.shift()!),
  );
  const refused = call();
  refusals.add(refused, READONLY);
  clock.advance(16);
  await turn();
  refusals.add(refused, READONLY);
  clock.advance(32);
  await turn();

  refusals.carriedOut(refused);
  expect(ended).toEqual([]);
  clock.advance(64);
  await turn();

  expect(ended).toEqual(['']);
  expect(clock.pending).toBe(0);
  refusals.close();
});

test('an answer that shows nothing is reported of its call, until such a call is carried out', () => {
  const clock = fakeClock();
  const [shown, ended]: [unknown[], unknown[]] = [[], []];
  const refusals = new Refusals(
    { clock, random: LARGEST },
    {
      health: {
        down: () => {},
        shown: (_, source) => shown.push(source),
        up: (_, source) => ended.push(source),
      },
      maxPauseMs: 1_000,
    },
    'a server',
    async () => await Promise.resolve(null),
  );
  const refused = call();

  refusals.add(refused, new Error('upstream failure'));
  // The server takes writes: no write is requested of it.
  expect(clock.pending).toBe(0);
  expect(shown).toHaveLength(1);
  expect(ended).toEqual([]);

  refusals.carriedOut(refused);
  expect(ended).toEqual(shown);
  refusals.close();
});
