// When it is known whether a majority has the fencing token of a claim.

import { expect, test } from 'vitest';
import { Tokens, type Raised } from '../../src/quorum/tokens.js';
import type { Vote } from '../../src/quorum/vote.js';

/** A server that answers when the test says so: the counter was raised, the lock is gone, or an error. */
class FakeVote {
  readonly #answers: ((answer: boolean | Error) => void)[] = [];

  raise(): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#answers.push((answer) => {
        if (answer instanceof Error) {
          reject(answer);
        } else {
          resolve(answer);
        }
      });
    });
  }

  async answer(answer: boolean | Error): Promise<void> {
    this.#answers.shift()?.(answer);
    await Promise.resolve();
    await Promise.resolve();
  }
}

interface Stage {
  readonly tokens: Tokens;
  readonly told: Raised[];
  readonly granted: (vote: FakeVote, token: bigint) => void;
}

/** Tokens of a claim on three servers; from `asking` of them a grant may come yet. */
function stage(asking = (): number => 0): Stage & { readonly raise: () => void } {
  const tokens = new Tokens(1, 2);
  const told: Raised[] = [];
  return {
    tokens,
    told,
    granted: (vote, token) => tokens.issued(vote as unknown as Vote, [token]),
    raise: () => tokens.raise(asking, (raised) => told.push(raised)),
  };
}

test('a majority has the largest one', async () => {
  const { tokens, told, granted, raise } = stage();
  const [one, other] = [new FakeVote(), new FakeVote()];
  granted(one, 7n);
  granted(other, 12n);

  raise();
  expect(tokens.all).toEqual([12n]);
  await one.answer(true);
  expect(told).toEqual([]);
  await other.answer(true);

  expect(told).toEqual([{ is: 'written' }]);
});

test('where so many have lost the lock that no majority is left, that is known at once', async () => {
  const { told, granted, raise } = stage();
  const [one, other, third] = [new FakeVote(), new FakeVote(), new FakeVote()];
  [one, other, third].forEach((vote) => granted(vote, 7n));

  raise();
  await one.answer(false);
  expect(told).toEqual([]);
  await other.answer(false);

  expect(told).toEqual([{ is: 'lost', errors: [] }]);
});

test('a grant that may come yet counts, and is written to when it comes', async () => {
  let asking = 1;
  const { told, granted, raise } = stage(() => asking);
  const [one, other, third] = [new FakeVote(), new FakeVote(), new FakeVote()];
  granted(one, 7n);
  granted(other, 7n);

  raise();
  await one.answer(false);
  await other.answer(true);
  expect(told).toEqual([]);
  asking = 0;
  granted(third, 8n);
  await third.answer(true);

  expect(told).toEqual([{ is: 'written' }]);
});

test('what servers have answered instead is reported', async () => {
  const { told, granted, raise } = stage();
  const [one, other] = [new FakeVote(), new FakeVote()];
  granted(one, 7n);
  granted(other, 7n);
  const broken = new Error('OOM');

  raise();
  await one.answer(broken);

  expect(told).toEqual([{ is: 'lost', errors: [broken] }]);
});
