// What is told of attempts to connect that failed without an answer of the server.

import { expect, test } from 'vitest';
import { NoAnswer } from '../../src/core/connection/no-answer.js';
import { unsupportedServer } from '../../src/core/connection/server-errors.js';
import { fakeClock } from '../support/fake-clock.js';

const CLOSED = new Error('the connection was closed');
const FULL = new Error('ERR max number of clients reached');

interface Stage {
  readonly told: Error[];
  readonly noAnswer: NoAnswer;
  readonly clock: ReturnType<typeof fakeClock>;
  /** An attempt was closed without a word. */
  readonly closed: () => void;
  /** What the server is asked: each resolves one question. */
  readonly questions: ((reason?: Error) => void)[];
}

function stage(): Stage {
  const clock = fakeClock(0);
  const told: Error[] = [];
  const questions: Stage['questions'] = [];
  const noAnswer = new NoAnswer(clock, (reason) => told.push(reason));
  const closed = (): void => {
    noAnswer.failed(
      CLOSED,
      async () =>
        await new Promise((resolve) => {
          questions.push(resolve);
        }),
    );
  };
  return { told, noAnswer, clock, closed, questions };
}

const settle = async (): Promise<void> => {
  await new Promise(setImmediate);
};

test('it is told once the server was asked, once for all attempts until then', async () => {
  const { told, closed, questions } = stage();

  closed();
  closed();
  expect(told).toEqual([]);
  questions[0]?.(FULL);
  await settle();

  expect(told).toEqual([FULL]);
  expect(questions.length).toBe(1);
});

test('a reason counts for a second, then the server is asked anew', async () => {
  const { told, closed, questions, clock } = stage();
  closed();
  questions[0]?.(FULL);
  await settle();

  clock.advance(999);
  closed();
  expect(told).toEqual([FULL, FULL]);
  clock.advance(1);
  closed();
  questions[1]?.();
  await settle();

  expect(told).toEqual([FULL, FULL, CLOSED]);
});

test.each([
  ['an address that cannot be reached', new Error('connect ECONNREFUSED')],
  [
    'a server that cannot be used',
    unsupportedServer('', { found: 'a', needed: 'b', cause: undefined }),
  ],
  ['an answer', Object.assign(new Error('WRONGPASS no'), { name: 'ReplyError' })],
])('%s is told at once, and what was asked before does not matter any more', async (_, error) => {
  const { told, noAnswer, closed, questions } = stage();
  closed();

  noAnswer.failed(error, undefined);
  questions[0]?.(FULL);
  await settle();

  expect(told).toEqual([error]);
});

test('nothing is told of a server that was connected to in the meantime', async () => {
  const { told, noAnswer, closed, questions } = stage();
  closed();

  noAnswer.reset();
  questions[0]?.(FULL);
  await settle();

  expect(told).toEqual([]);
});
