// A subscriber whose credentials run out, in time that stands still: its connections, and when each is made and ended.

import { EventEmitter } from 'node:events';
import { beforeEach, expect, test } from 'vitest';
import type { Credentials } from '../../src/index.js';
import { OneServer } from '../../src/core/connection/one-server.js';
import type { Ask } from '../../src/core/connection/sign-in-hook.js';
import { Subscriber } from '../../src/core/connection/subscriber.js';
import { fakeClock } from '../support/fake-clock.js';

const STEP_MS = 100;

const turn = async (): Promise<void> => await new Promise(setImmediate);

/** Lets all that does not wait for time go on. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) {
    await turn();
  }
}

/** One connection: it is ready at once. */
class Link extends EventEmitter {
  readonly reportsMoves = true;
  readonly isKnownDriver = true;
  isOpen = true;
  readonly #ask: Ask;

  constructor(ask: Ask) {
    super();
    this.#ask = ask;
  }

  async connect(): Promise<void> {
    await this.#ask({ host: 'there', port: 1 });
    this.emit('ready');
  }

  async call(command: string): Promise<unknown> {
    return await (silent.has(command) ? new Promise(() => {}) : command);
  }

  cork(): void {}

  unref(): void {}

  destroy(): void {
    this.isOpen = false;
    this.removeAllListeners();
  }
}

/** Commands that nobody answers from now on. */
const silent = new Set<string>();
let [clock, links, downs, give] = [
  fakeClock(),
  [] as Link[],
  [] as { what: string; source: unknown }[],
  (): Credentials => ({ password: 'x' }),
];

const lasting = (ms: number) => (): Credentials => ({
  password: 'x',
  expiresAtMs: Date.now() + ms,
});

const open = (): number[] => links.flatMap(({ isOpen }, i) => (isOpen ? [i] : []));

/** Lets so much time pass. */
async function pass(ms: number): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= STEP_MS) {
    clock.advance(Math.min(leftMs, STEP_MS));
    await settled();
  }
}

/** A subscriber with one channel, which the server has confirmed. */
async function listening(): Promise<Subscriber> {
  const owner = {
    health: {
      down: (what: string, source: unknown) => void downs.push({ what, source }),
      up: (what: string, source: unknown) => {
        downs = downs.filter((each) => each.what !== what || each.source !== source);
      },
      shown: () => {},
    },
    message: () => {},
    confirmed: () => {},
    trouble: () => {},
    refused: () => {},
    fault: (error: Error) => expect.unreachable(String(error.stack)),
  };
  const environment = {
    clock,
    random: { int: (min: number) => min, uuid: () => 'id' },
    connect: (...[, , , ask]: unknown[]) => {
      const link = new Link(ask as Ask);
      links.push(link);
      return link;
    },
  };
  const post = {
    server: {
      options: {},
      readyLimitMs: 5_000,
      credentials: { title: 'credentials' as const, mayBeNone: false, ask: () => give() },
    },
    oneServer: new OneServer('there', () => {}),
    publish: async (_: string, channel: string, payload: string) => {
      for (const link of links.filter(({ isOpen }) => isOpen)) {
        link.emit('message', channel, payload);
      }
      return await Promise.resolve(1);
    },
    moved: () => {},
  };
  const subscriber = new Subscriber(post, environment as never, owner);
  subscriber.add('first');
  await settled();
  return subscriber;
}

beforeEach(() => {
  silent.clear();
  [clock, links, downs, give] = [fakeClock(), [], [], lasting(2_000)];
});

test('a successor that is not confirmed has no successor, and has one once it has taken its place', async () => {
  const subscriber = await listening();
  silent.add('subscribe');
  await pass(1_500);
  expect(open()).toEqual([0, 1]);

  // Its own credentials run out.
  await pass(3_000);
  expect(open()).toEqual([0, 1]);
  // It takes the place when nothing is wanted of it any more.
  silent.clear();
  subscriber.remove('first');
  subscriber.add('second');
  await settled();
  expect(open()).toEqual([1]);
  await pass(1_400);
  expect(open()).toEqual([1]);
  await pass(100);
  expect(open()).toEqual([2]);

  subscriber.close();
  expect(open()).toEqual([]);
  await pass(10_000);
  expect([links.length, clock.pending]).toEqual([3, 0]);
});

test('credentials with little time are replaced once a second', async () => {
  give = lasting(10);
  await listening();
  await pass(999);
  expect(links.length).toBe(1);

  await pass(1);
  expect(open()).toEqual([1]);
  await pass(999);
  expect(links.length).toBe(2);

  await pass(1);
  expect(open()).toEqual([2]);
});

test('a connection whose successor was given the same credentials is not replaced before they end', async () => {
  const same = lasting(8_000)();
  give = () => same;
  await listening();
  await pass(6_000);
  expect(open()).toEqual([1]);

  // The wall clock stands.
  await pass(7_000);
  expect(open()).toEqual([1]);

  await pass(1_000);
  expect(open()).toEqual([2]);
});

test('a retired connection that is silent ends when the subscriber is closed', async () => {
  const subscriber = await listening();
  silent.add('ping');
  await pass(1_500);
  expect(open()).toEqual([0, 1]);

  subscriber.close();

  expect(open()).toEqual([]);
});

test('a successor that is cut says that it cannot sign in until it is connected again', async () => {
  const subscriber = await listening();
  silent.add('subscribe');
  await pass(1_500);

  links[1]?.emit('end');
  expect(downs.map(({ what }) => what)).toEqual([
    'a connection to Redis at localhost:6379 cannot sign in again',
  ]);
  subscriber.remove('first');
  silent.clear();
  await pass(100);

  expect(open()).toEqual([2]);
  expect(downs).toEqual([]);
});

test('the limit of a successor is judged after the input that has arrived', async () => {
  await listening();
  silent.add('subscribe');
  await pass(1_500);

  clock.holdInput();
  await pass(5_000);
  expect(open()).toEqual([0, 1]);

  clock.inputHandled();
  expect(open()).toEqual([0]);
});
