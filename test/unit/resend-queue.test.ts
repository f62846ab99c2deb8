import { describe, expect, test } from 'vitest';
import { ResendQueue } from '../../src/core/connection/resend-queue.js';
import { Call } from '../../src/core/wire/call.js';
import { fakeClock, LARGEST } from '../support/fake-clock.js';

const script = { name: 'any', sha1: '', source: '', decode: (reply: unknown) => reply };

const LOADING = new Error('LOADING Redis is loading the dataset in memory');

function stage() {
  const clock = fakeClock();
  const [written, insisted, told]: [number[], number[], string[]] = [[], [], []];
  const queue = new ResendQueue(
    { clock, random: LARGEST },
    1_000,
    () => written.push(...queue.take().map(({ order }) => order)),
    ({ order }) => insisted.push(order),
  );
  const call = (order: number, { resend = true, key = 'a' } = {}): Call<unknown> => {
    const receiver = {
      answered: () => {},
      failed: (error: Error) => told.push(`${order}: ${error.message}`),
    };
    const watch = { failed: () => {}, unheard: () => {} };
    const made = new Call({ script, operands: [1, key] }, receiver, resend, watch);
    made.order = order;
    return made;
  };
  return { clock, queue, call, written, insisted, told };
}

const orders = (calls: readonly { readonly order: number }[]): number[] =>
  calls.map(({ order }) => order);

describe('calls that wait to be written', () => {
  test('are written in the order in which they were made, whatever has put them off', () => {
    const { queue, call } = stage();
    queue.add(call(4));
    queue.add(call(2));
    queue.putBack([call(1), call(3)], new Error('cut'));

    expect(queue.holdsUp(call(5))).toBe(true);
    expect(orders(queue.take())).toEqual([1, 2, 3, 4]);
    expect(queue.holdsUp(call(5))).toBe(false);
  });

  test('have one more copy that may run once they have lost their connection', () => {
    const { queue, call } = stage();
    const [written, waiting] = [call(1), call(2)];
    queue.add(waiting);

    queue.putBack([written], new Error('cut'));
    queue.putBack(queue.take().slice(0, 1), new Error('cut again'));

    expect([written.unackedCopies, waiting.unackedCopies]).toEqual([2, 0]);
  });

  test('fail with their connection when they are not to be sent again', () => {
    const { queue, call, told } = stage();

    queue.putBack([call(1, { resend: false }), call(2)], new Error('cut'));

    expect(told).toEqual(['1: cut']);
    expect(orders(queue.take())).toEqual([2]);
  });

  test('are written after one pause, however many were refused', () => {
    const { clock, queue, call, written } = stage();
    queue.refused(call(1), LOADING);
    queue.refused(call(2), LOADING);
    expect(written).toEqual([]);
    clock.advance(16);

    expect(written).toEqual([1, 2]);
    queue.refused(call(3), LOADING);
    clock.advance(31);
    queue.refused(call(4), LOADING);
    expect(written).toEqual([1, 2]);
    clock.advance(1);
    expect(written).toEqual([1, 2, 3, 4]);
  });

  test.each(['TRYAGAIN Multiple keys', 'CLUSTERDOWN Hash slot', 'CLUSTERDOWN The cluster'])(
    'for their slot delay no call for another one: %s',
    (refusal) => {
      const { clock, queue, call, written } = stage();
      queue.refused(call(1), new Error(refusal));

      expect(queue.holdsUp(call(2, { key: 'b' }))).toBe(false);
      expect(queue.holdsUp(call(2, { key: 'other:{a}' }))).toBe(true);
      queue.add(call(2));
      expect(queue.holdsUp(call(3, { key: 'b' }))).toBe(false);
      clock.advance(50);

      expect(written).toEqual([1, 2]);
      expect(queue.holdsUp(call(3))).toBe(false);
    },
  );

  test.each(['LOADING Redis is', 'BUSY Redis is', "READONLY You can't", 'MASTERDOWN Link with'])(
    'for their server delay the calls for every slot: %s',
    (refusal) => {
      const { clock, queue, call, written } = stage();
      queue.refused(call(1), new Error('TRYAGAIN Multiple keys'));
      queue.refused(call(3, { key: 'b' }), new Error(refusal));

      expect(queue.holdsUp(call(2, { key: 'c' }))).toBe(true);
      queue.add(call(2, { key: 'c' }));
      clock.advance(50);

      expect(written).toEqual([1, 2, 3]);
    },
  );

  test('for their slot hold nothing up any more when they are given up', () => {
    const { queue, call } = stage();
    const given = call(1);
    queue.refused(given, new Error('TRYAGAIN Multiple keys'));

    given.abandon();

    expect(queue.holdsUp(call(2))).toBe(false);
  });

  test('are written no more by time after the end', () => {
    const { clock, queue, call, written, insisted } = stage();
    queue.refused(call(1), LOADING);
    queue.insist(call(2));

    queue.close();
    clock.advance(1_000);

    expect([written, insisted, clock.pending]).toEqual([[], [], 0]);
    expect(orders(queue.takeAll())).toEqual([2, 1]);
  });
});

describe('calls that insist', () => {
  test('are sent again after pauses that grow, and delay no other', () => {
    const { clock, queue, call, insisted } = stage();
    const again = (pauseMs: number): void => {
      queue.insist(call(1));
      clock.advance(pauseMs - 1);
      queue.insist(call(2));
      insisted.length = 0;
      clock.advance(1);
      expect(insisted).toEqual([1, 2]);
    };
    queue.insist(call(1));
    expect(queue.holdsUp(call(3))).toBe(false);
    clock.advance(16);
    expect(insisted).toEqual([1]);

    for (const pauseMs of [32, 64, 128, 256, 512, 1_000, 1_000]) {
      again(pauseMs);
    }
    queue.connected();
    again(1_000);
    clock.advance(2_001);
    again(16);
    again(32);
  });
});
