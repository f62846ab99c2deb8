// An option that there is not: it would be ignored, and an acquisition would wait for ever.

import { describe, expect, test } from 'vitest';
import type { Client } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { scriptsOf } from '../semaphore/world.js';
import { thrown } from './bad-input.js';

const { client, name } = fixture('unknown-options');

type Options = Readonly<Record<string, unknown>>;
type Call = (client: Client, options: never) => Promise<unknown>;

const locks: [string, (client: Client) => ReturnType<Client['getLock']>][] = [
  ['lock', (own) => own.getLock(name())],
  ['fair lock', (own) => own.getFairLock(name())],
  ['fenced lock', (own) => own.getFencedLock(name())],
  ['read lock', (own) => own.getReadWriteLock(name()).readLock],
  ['write lock', (own) => own.getReadWriteLock(name()).writeLock],
];

const acquiring: [string, Call][] = [
  ...locks.flatMap(([kind, get]): [string, Call][] => [
    [`acquire of a ${kind}`, (own, options) => get(own).acquire(options)],
    [`tryAcquire of a ${kind}`, (own, options) => get(own).tryAcquire(options)],
    [`using of a ${kind}`, (own, options) => get(own).using(() => 'never', options)],
  ]),
  ['acquire of a semaphore', (own, options) => own.getSemaphore(name()).acquire(1, options)],
  ['tryAcquire of a semaphore', (own, options) => own.getSemaphore(name()).tryAcquire(1, options)],
  ['using of a semaphore', (own, options) => own.getSemaphore(name()).using(() => 1, options)],
  ...(['acquire', 'tryAcquire'] as const).map((call): [string, Call] => [
    `${call} of permits`,
    (own, options) => own.getPermitExpirableSemaphore(name())[call](options),
  ]),
  ...(['acquireMany', 'tryAcquireMany'] as const).map((call): [string, Call] => [
    `${call} of permits`,
    (own, options) => own.getPermitExpirableSemaphore(name())[call](2, options),
  ]),
  [
    'using of permits',
    (own, options) => own.getPermitExpirableSemaphore(name()).using(() => 1, options),
  ],
  ['wait for a latch', (own, options) => own.getCountDownLatch(name()).wait(options)],
];

const setting: [string, Call][] = [
  ['a semaphore', (own, options) => own.getSemaphore(name()).trySetPermits(1, options)],
  ['permits', (own, options) => own.getPermitExpirableSemaphore(name()).trySetPermits(1, options)],
  ['a latch', (own, options) => own.getCountDownLatch(name()).trySetCount(1, options)],
];

async function stage(): Promise<{ own: Client; scripts: () => number }> {
  const proxy = await startProxy({ target: redisUrl() });
  return { own: client({ redis: proxy.url }), scripts: () => scriptsOf(proxy) };
}

async function expectRefusal(call: Call, options: Options, message: RegExp): Promise<void> {
  const { own, scripts } = await stage();

  const error = await rejection(call(own, options as never));

  expect(error).toBeInstanceOf(TypeError);
  expect(String(error)).toMatch(message);
  expect(scripts()).toBe(0);
}

describe.each(acquiring)('%s', (_, call) => {
  test.each([
    ['timeoutMs', /no option "timeoutMs": did you mean "waitMs"\?/],
    ['wait', /did you mean "waitMs"\?/],
    ['waitms', /did you mean "waitMs"\?/],
    ['abort', /did you mean "signal"\?/],
  ])('refuses %s, names what was meant, and sends nothing', async (option, message) => {
    await expectRefusal(call, { [option]: 5 }, message);
  });

  test('refuses a signal in the place of options', async () => {
    const { signal } = new AbortController();

    await expectRefusal(
      call,
      signal as unknown as Options,
      /got an AbortSignal: write \{ signal \}/,
    );
  });
});

describe.each(setting)('to set the number of %s', (_, call) => {
  test.each([
    ['ttl', /did you mean "ttlMs"\?/],
    ['waitMs', /^TypeError: waitMs: trySet\w+ does not wait/],
    ['leaseMs', /^TypeError: leaseMs: .* lease/],
  ])('refuses %s, and sends nothing', async (option, message) => {
    await expectRefusal(call, { [option]: 5 }, message);
  });
});

test.each<[string, Call, string, RegExp]>([
  ['lease of a lock', (own, o) => own.getLock(name()).acquire(o), 'ttl', /"leaseMs"/],
  ['permits of a lock', (own, o) => own.getLock(name()).acquire(o), 'permits', /: a lock has no/],
  [
    'lease of a counting semaphore',
    (own, o) => own.getSemaphore(name()).acquire(1, o),
    'leaseMs',
    /leaseMs: a counting semaphore has no lease/,
  ],
  [
    'bound of a counting semaphore',
    (own, o) => own.getSemaphore(name()).acquire(1, o),
    'maxHoldMs',
    /maxHoldMs: a counting semaphore has no lease/,
  ],
  [
    'number in the options',
    (own, o) => own.getSemaphore(name()).acquire(1, o),
    'permits',
    /permits: their number is the first argument/,
  ],
  [
    're-entry of permits',
    (own, o) => own.getPermitExpirableSemaphore(name()).acquire(o),
    'within',
    /within: permits do not re-enter/,
  ],
  [
    'lease of a latch',
    (own, o) => own.getCountDownLatch(name()).wait(o),
    'leaseMs',
    /leaseMs: a latch has no lease/,
  ],
  [
    'bound of a latch',
    (own, o) => own.getCountDownLatch(name()).wait(o),
    'maxHoldMs',
    /maxHoldMs: a latch has no lease/,
  ],
  ['limit of close', (own, o) => own.close(o), 'timeout', /did you mean "timeoutMs"\?/],
  ['wait of close', (own, o) => own.close(o), 'waitMs', /is timeoutMs/],
])('an option of another call is refused with the reason: %s', async (_, call, option, message) => {
  await expectRefusal(call, { [option]: 5 }, message);
});

test.each([
  'getLock',
  'getFairLock',
  'getFencedLock',
  'getReadWriteLock',
  'getCountDownLatch',
] as const)('options that %s would ignore are refused', (getter) => {
  const own = client();
  const get = own[getter].bind(own) as (name: string, extra?: unknown) => unknown;

  const error = thrown(() => get(name(), { leaseMs: 5_000 }));

  expect(error).toBeInstanceOf(TypeError);
  expect(String(error)).toContain(`${getter} takes a name only`);
  // Such as the index that `map` passes on.
  expect(() => get(name(), 0)).not.toThrow();
});

test('an unknown option whose value is undefined, or that is inherited, is none', async () => {
  const own = client();
  const inherited = Object.create({ timeoutMs: 5 }) as object;

  const holds = [
    await own.getLock(name()).acquire({ timeoutMs: undefined } as object),
    await own.getLock(name()).acquire(inherited),
  ];

  await Promise.all(holds.map(async (hold) => await hold.release()));
});

test('a password in the name of an option is not shown', async () => {
  const { own } = await stage();
  const options = { 'redis://jo:s3cret@host': 1 } as object;

  const error = await rejection(own.getLock(name()).acquire(options));

  expect(String(error)).not.toContain('s3cret');
});

describe('an event that there is not', () => {
  test.each<[unknown, RegExp]>([
    ['eror', /there is no event "eror": did you mean "error"\? The events are acquired, /],
    ['aquired', /did you mean "acquired"\?/],
    ['LOST', /did you mean "lost"\?/],
    ['toString', /there is no event "toString"/],
    ['__proto__', /there is no event/],
    ['', /there is no event ""/],
    [5, /there is no event 5/],
    [undefined, /there is no event undefined/],
    [Symbol('error'), /there is no event a value of type symbol/],
  ])('is refused: %s', (event, message) => {
    const own = client();

    for (const call of ['on', 'once', 'off'] as const) {
      const error = thrown(() => own[call](event as 'error', () => {}));
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toMatch(message);
    }
  });
});
