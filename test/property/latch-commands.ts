// What can happen to a latch, one command each, on the model and on the real one.

import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import { fc } from '../support/fast-check.js';
import type { Client } from '../../src/index.js';
import { promised } from '../support/broken-promise.js';
import { eventually } from '../support/eventually.js';
import { latchChannel } from '../support/latch-channel.js';
import { killConnections } from './faults.js';

export interface Model {
  count: number;
  /** Of each wait: still standing, let go by a zero, given up. */
  readonly waits: ('waiting' | 'opened' | 'aborted')[];
}

interface RealWait {
  readonly abort: AbortController;
  result: boolean | undefined;
  error: unknown;
}

export interface Real {
  readonly name: string;
  readonly raw: Redis;
  readonly clients: readonly Client[];
  readonly waits: RealWait[];
}

type LatchCommand = fc.AsyncCommand<Model, Real>;

/** Everybody who waits goes on. */
function open(model: Model): void {
  model.count = 0;
  model.waits.forEach((state, i) => {
    model.waits[i] = state === 'waiting' ? 'opened' : state;
  });
}

/** What must be true after every command. */
export async function check(model: Model, real: Real): Promise<void> {
  const value = await real.raw.get(real.name);
  promised('each call that counts is carried out once', () =>
    expect(value).toBe(model.count === 0 ? null : String(model.count)),
  );
  await eventually(() =>
    model.waits.every((state, i) => state !== 'opened' || real.waits[i]?.result !== undefined),
  );
  model.waits.forEach((state, i) => {
    expect([state, real.waits[i]?.result]).toEqual([state, state === 'opened' ? true : undefined]);
    expect(real.waits[i]?.error === undefined).toBe(state !== 'aborted');
  });
}

function command(
  label: string,
  act: (model: Model, real: Real) => Promise<void>,
  can: (model: Model) => boolean = () => true,
): LatchCommand {
  return {
    check: can,
    run: async (model, real) => {
      await act(model, real);
      await check(model, real);
    },
    toString: () => label,
  };
}

const trySetCount = (client: number, count: number): LatchCommand =>
  command(`trySetCount(${client}, ${count})`, async (model, real) => {
    const answer = await real.clients[client]!.getCountDownLatch(real.name).trySetCount(count);
    expect(answer).toBe(model.count === 0);
    model.count = model.count === 0 ? count : model.count;
  });

function countDownModel(model: Model): void {
  if (model.count === 1) {
    open(model);
  } else if (model.count > 1) {
    model.count -= 1;
  }
}

const countDown = (client: number): LatchCommand =>
  command(`countDown(${client})`, async (model, real) => {
    countDownModel(model);
    await real.clients[client]!.getCountDownLatch(real.name).countDown();
  });

/** Down to zero and set again with nothing in between that a waiter could have seen. */
const reset = (client: number, count: number): LatchCommand =>
  command(`reset(${client}, ${count})`, async (model, real) => {
    const latch = real.clients[client]!.getCountDownLatch(real.name);
    await Promise.all(
      Array.from({ length: model.count }, async () => {
        await latch.countDown();
      }),
    );
    expect(await latch.trySetCount(count)).toBe(true);
    if (model.count > 0) {
      open(model);
    }
    model.count = count;
  });

const remove = (client: number): LatchCommand =>
  command(`delete(${client})`, async (model, real) => {
    const answer = await real.clients[client]!.getCountDownLatch(real.name).delete();
    expect(answer).toBe(model.count > 0);
    open(model);
  });

const wait = (client: number): LatchCommand =>
  command(`wait(${client})`, async (model, real) => {
    const latch = real.clients[client]!.getCountDownLatch(real.name);
    const entry: RealWait = { abort: new AbortController(), result: undefined, error: undefined };
    latch.wait({ signal: entry.abort.signal }).then(
      (result) => {
        entry.result = result;
      },
      (error: unknown) => {
        entry.error = error;
      },
    );
    real.waits.push(entry);
    model.waits.push(model.count === 0 ? 'opened' : 'waiting');
    // Two answers on the same connection: its own look has been answered before the second.
    await latch.count();
    await latch.count();
  });

const waitNow = (client: number): LatchCommand =>
  command(`waitNow(${client})`, async (model, real) => {
    const answer = await real.clients[client]!.getCountDownLatch(real.name).wait({ waitMs: 0 });
    expect(answer).toBe(model.count === 0);
  });

const abort = (pick: number): LatchCommand =>
  command(
    `abort(${pick})`,
    async (model, real) => {
      const standing = model.waits.flatMap((state, i) => (state === 'waiting' ? [i] : []));
      const index = standing[pick % standing.length]!;
      model.waits[index] = 'aborted';
      real.waits[index]!.abort.abort(new Error('given up'));
      await eventually(() => real.waits[index]!.error !== undefined);
    },
    (model) => model.waits.includes('waiting'),
  );

/** One count-down as Redisson does it. */
const foreignCountDown = (): LatchCommand =>
  command(
    'foreignCountDown',
    async (model, real) => {
      const steps = real.raw.multi().decr(real.name);
      if (model.count === 1) {
        steps.del(real.name).publish(latchChannel(real.name), '0');
      }
      countDownModel(model);
      await steps.exec();
    },
    (model) => model.count > 0,
  );

const foreignSet = (count: number): LatchCommand =>
  command(
    `foreignSet(${count})`,
    async (model, real) => {
      model.count = count;
      await real.raw.multi().set(real.name, count).publish(latchChannel(real.name), '1').exec();
    },
    (model) => model.count === 0,
  );

const noise = (payload: string): LatchCommand =>
  command(`noise(${payload})`, async (_model, real) => {
    await real.raw.publish(latchChannel(real.name), payload);
  });

const flushScripts = (): LatchCommand =>
  command('flushScripts', async (_model, real) => {
    await real.raw.script('FLUSH');
  });

const kill = (client: number, which: 'normal' | 'pubsub' | 'all'): LatchCommand =>
  command(`kill(${client}, ${which})`, async (_model, real) => {
    await killConnections(real.raw, `model-${client}`, which);
  });

const client = fc.nat(2);
const count = fc.integer({ min: 1, max: 4 });
const which = fc.constantFrom('normal' as const, 'pubsub' as const, 'all' as const);

/** Everything that can happen, what sets, counts and waits most often. */
export const latchCommands: fc.Arbitrary<LatchCommand>[] = [
  fc.tuple(client, count).map(([who, n]) => trySetCount(who, n)),
  fc.tuple(client, count).map(([who, n]) => trySetCount(who, n)),
  client.map(countDown),
  client.map(countDown),
  client.map(countDown),
  fc.tuple(client, count).map(([who, n]) => reset(who, n)),
  client.map(remove),
  client.map(wait),
  client.map(wait),
  client.map(wait),
  client.map(waitNow),
  fc.nat(20).map(abort),
  fc.constant(foreignCountDown()),
  count.map(foreignSet),
  fc.constantFrom('0', '1').map(noise),
  fc.constant(flushScripts()),
  fc.tuple(client, which).map(([who, what]) => kill(who, what)),
];
