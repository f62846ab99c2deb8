import { expect, test } from 'vitest';
import { Call } from '../../src/core/wire/call.js';
import { Unanswered } from '../../src/core/connection/half-open.js';
import { gate } from '../contract/fixture.js';
import { fakeClock, type FakeClock } from '../support/fake-clock.js';

const LIMIT_MS = 500;

interface Stage {
  readonly clock: FakeClock;
  readonly row: Unanswered;
  /** When the connection was given up. */
  readonly silent: number[];
  /** What receivers were told. */
  readonly told: unknown[];
  readonly write: () => Call<unknown>;
}

const fault = (error: Error): void => {
  throw error;
};

function stage(): Stage {
  const clock = fakeClock(0);
  clock.holdInput();
  const silent: number[] = [];
  const told: unknown[] = [];
  const row = new Unanswered(clock, LIMIT_MS, () => {
    silent.push(clock.now());
    row.clear();
  });
  const watch = { failed: fault, unheard: () => {} };
  const script = { name: 'any', sha1: '', source: '', decode: (reply: unknown) => reply };
  const receiver = {
    answered: (answer: unknown) => told.push(answer),
    failed: (error: Error) => told.push(error),
  };
  const write = (): Call<unknown> => {
    const call = new Call({ script, operands: [] }, receiver, true, watch);
    call.sentAt = clock.now();
    call.lastSentAt = clock.now();
    row.add(call);
    return call;
  };
  return { clock, row, silent, told, write };
}

test('a connection is judged by its oldest call, though new ones are written all the time', () => {
  const { clock, silent, write } = stage();

  write();
  for (let i = 0; i < 2 * LIMIT_MS && silent.length === 0; i += 1) {
    clock.advance(1);
    write();
    clock.inputHandled();
  }

  expect(silent).toEqual([LIMIT_MS]);
});

test('an answer that arrives with the limit keeps the connection', () => {
  const { clock, row, silent, write } = stage();
  const call = write();

  clock.advance(LIMIT_MS);
  const isWanted = row.delete(call);
  clock.inputHandled();

  expect([isWanted, silent]).toEqual([true, []]);
});

test('a connection that brings an answer now and then is not silent, however old its oldest call', () => {
  const { clock, row, silent, write } = stage();
  const calls = Array.from({ length: 5 }, write);

  for (const call of calls.slice(0, -1)) {
    clock.advance(LIMIT_MS - 1);
    clock.inputHandled();
    row.delete(call);
  }
  clock.advance(LIMIT_MS - 1);
  clock.inputHandled();
  const before = [...silent];
  clock.advance(1);
  clock.inputHandled();

  expect(before).toEqual([]);
  expect(silent).toEqual([5 * LIMIT_MS - 4]);
});

test('a connection is judged by its queries too, and any answer is one to them', () => {
  const { clock, row, silent, write } = stage();
  const call = write();
  void row.query(() => new Promise(() => {}));

  clock.advance(LIMIT_MS - 1);
  row.delete(call);
  clock.advance(LIMIT_MS - 1);
  clock.inputHandled();
  expect(silent).toEqual([]);
  clock.advance(1);
  clock.inputHandled();

  expect(silent).toEqual([2 * LIMIT_MS - 1]);
  clock.advance(2 * LIMIT_MS);
  clock.inputHandled();
  expect(silent).toHaveLength(1);
});

test('an answer to a query is one to the calls behind it', async () => {
  const { clock, row, silent, write } = stage();
  const query = row.query(() => Promise.resolve('known'));
  write();

  clock.advance(LIMIT_MS - 1);
  expect(await query).toBe('known');
  clock.advance(LIMIT_MS - 1);
  clock.inputHandled();

  expect(silent).toEqual([]);
});

test('a connection is judged by calls that nobody waits for any more', () => {
  const { clock, silent, write } = stage();

  const call = write();
  clock.advance(1);
  call.abandon();
  clock.advance(LIMIT_MS);
  clock.inputHandled();

  expect(silent).toEqual([LIMIT_MS + 1]);
});

test('the answer of an abandoned call is told to nobody, and nobody writes it again', () => {
  const { clock, row, silent, told, write } = stage();
  const [answered, lost, kept] = [write(), write(), write()];

  answered.abandon();
  lost.abandon();
  const isWanted = row.delete(answered);
  answered.succeed('late');
  answered.fail(new Error('late'));
  clock.advance(LIMIT_MS - 1);
  clock.inputHandled();

  expect(isWanted).toBe(false);
  expect(row.clear()).toEqual([kept]);
  expect([told, silent]).toEqual([[], []]);
  // The copy that has lost its connection may still run.
  expect([answered.mayHaveRun, lost.mayHaveRun]).toEqual([false, true]);
  expect(kept.unackedCopies).toBe(0);
});

test('a server that was given time for a query is not silent until that is over, whatever is behind', async () => {
  const { clock, row, silent, write } = stage();
  const answer = gate();
  const asking = row.query(async () => await answer.opened, 2_000);
  write();

  clock.advance(2_000 + LIMIT_MS - 1);
  clock.inputHandled();
  expect(silent).toEqual([]);
  answer.open();
  await asking;
  clock.advance(LIMIT_MS - 1);
  clock.inputHandled();
  expect(silent).toEqual([]);

  clock.advance(1);
  clock.inputHandled();
  expect(silent).toEqual([2_000 + 2 * LIMIT_MS - 1]);
});

test('a server that answers not even after the time for a query is silent', () => {
  const { clock, row, silent } = stage();
  void row.query(async () => await new Promise<void>(() => {}), 2_000);

  clock.advance(2_000 + LIMIT_MS);
  clock.inputHandled();

  expect(silent).toEqual([2_000 + LIMIT_MS]);
});
