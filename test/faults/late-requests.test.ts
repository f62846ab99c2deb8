// Counted calls arrive in any order: each runs once, however late a copy of it comes.

import { afterAll, describe, expect, test } from 'vitest';
import { promised } from '../support/broken-promise.js';
import { randomName, rawClient } from '../support/redis.js';
import { expectNoResidue } from '../support/residue.js';
import { countedKinds, remove, requestsOf, type Kind } from './counted-kinds.js';

const prefix = randomName('late-requests');
const raw = rawClient();
let names = 0;

afterAll(async () => {
  await expectNoResidue(prefix, { allow: [/^redlatch_(?:cancelled|requests|opened):/] });
});

interface Caller {
  readonly name: string;
  /** Sends one copy of a request by hand, and returns the answer. */
  readonly send: (number: number, lowWater: number, untilMs?: number) => Promise<unknown>;
  /** The request has been carried out as often as this. */
  readonly ran: () => Promise<number>;
  readonly clear: () => Promise<unknown>;
}

function caller({ script, operands, prepare, hasRun }: Kind): Caller {
  names += 1;
  const name = `${prefix}-${names}`;
  let runs = 0;
  return {
    name,
    send: async (number, lowWater, untilMs) => {
      await prepare(name);
      const [count = 0, ...rest] = operands(name, { number, lowWater });
      if (untilMs !== undefined) {
        rest[Number(count) + script.untilAt!] = untilMs;
      }
      const answer = await raw.eval(script.source, Number(count), ...rest);
      runs += (await hasRun(name)) ? 1 : 0;
      return answer;
    },
    ran: () => Promise.resolve(runs),
    clear: async () => await remove(name),
  };
}

describe.each(countedKinds)('$script.name', (kind) => {
  test('a late copy does not run, though a request with an older low-water mark ran last', async () => {
    const { send, ran, clear } = caller(kind);
    // 3 and 4 are answered and settled, and 5 is still under way when 9 is sent.
    await send(3, 3);
    await send(4, 3);
    await send(9, 5);
    await send(5, 3);
    const before = await ran();

    const answer = await send(4, 3);
    const settled = await send(3, 3);

    const after = await ran();
    promised('no late copy is carried out', () => expect([before, after]).toEqual([4, 4]));
    expect([answer, settled]).toEqual(['late', 'late']);
    await clear();
  });

  test('a copy of a request that is not settled gets the first answer', async () => {
    const { send, ran, clear } = caller(kind);
    const first = await send(5, 5);
    await send(6, 5);

    const again = await send(5, 5);

    expect(again).toBe(first);
    const after = await ran();
    promised('each call is carried out once', () => expect(after).toBe(2));
    await clear();
  });

  test('settled requests take no room in the record', async () => {
    const { name, send, clear } = caller(kind);
    for (let number = 1; number <= 50; number += 1) {
      await send(number, number);
    }

    expect(await raw.zcard(requestsOf(name))).toBe(2);
    expect(await raw.pttl(requestsOf(name))).toBeGreaterThan(590_000);
    await clear();
  });
});

/** An instant by the clock of the server that is to come. */
const soonMs = async (): Promise<number> => Number((await raw.time())[0]) * 1_000 + 60_000;

const ending = countedKinds.filter(({ script }) => script.untilAt !== undefined);

test('all calls but acquisitions may be sent with an end', () => {
  expect(
    countedKinds.filter((kind) => !ending.includes(kind)).map(({ script }) => script.name),
  ).toEqual(['semaphore/acquire', 'expirable-semaphore/acquire']);
});

describe.each(ending)('$script.name that may be run until an instant', (kind) => {
  test('is run before it, and answers a late copy of that', async () => {
    const { send, ran, clear } = caller(kind);
    const answer = await send(5, 5, await soonMs());
    const again = await send(5, 5, 1);

    expect(again).toBe(answer);
    expect(await ran()).toBe(1);
    await clear();
  });

  test('is refused after it, reports the time, and no other copy of it is run', async () => {
    const { send, ran, clear } = caller(kind);
    const untilMs = (await soonMs()) - 120_000;
    const late = String(await send(5, 5, untilMs));
    const others = [await send(5, 5), await send(5, 5, await soonMs())];

    expect(late).toMatch(/^past \d+$/u);
    expect(Math.abs(Number(late.slice(5)) - (await soonMs()) + 60_000)).toBeLessThan(10_000);
    expect(others).toEqual(['past', 'past']);
    expect(await ran()).toBe(0);
    await clear();
  });
});
