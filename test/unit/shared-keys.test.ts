// Any two objects with any two names: either no key of one is one of the other, or a client that has
// one of them is refused the other. All keys of an object are in one slot.

import { expect, test } from 'vitest';
import { fc } from '../support/fast-check.js';
import { commandOf, type Command } from '../../src/core/wire/call.js';
import { Names, type NamedObject } from '../../src/core/names.js';
import { enterOf, recheckOf, type LineKeys } from '../../src/core/locks/line.js';
import type { LockProtocol } from '../../src/core/locks/lock-protocol.js';
import { askOf, releaseOf } from '../../src/multi-lock/commands.js';
import { objectKey } from '../../src/core/base/key-names.js';
import type { EndpointServices } from '../../src/core/endpoint-services.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { handOvers } from '../support/hand-overs.js';
import { Statements } from '../../src/core/permits/statements.js';
import { slotOf } from '../../src/core/connection/slots.js';
import { ExpirableSemaphoreProtocol } from '../../src/expirable-semaphore/protocol.js';
import { LatchProtocol } from '../../src/latch/protocol.js';
import { FairLockProtocol } from '../../src/lock/fair.js';
import { FencedLockProtocol, HashLockProtocol } from '../../src/lock/protocol.js';
import { ReadProtocol } from '../../src/rwlock/read-protocol.js';
import { WriteProtocol } from '../../src/rwlock/write-protocol.js';
import { SemaphoreProtocol } from '../../src/semaphore/protocol.js';

const id = '00112233-4455-4677-8899-aabbccddeeff';

/** As much of a client as the calls of its objects are made of. */
const services = {
  client: { id, settings: { handOff: 'direct' } },
  router: { publish: 'PUBLISH', isCluster: false, channels: { isConfirmed: () => false } },
} as unknown as EndpointServices;
const NOTHING_HELD = { count: 0, tombstoneMs: 1, upTo: 1 };
const request = { number: 1, lowWater: 1 };
const raised = { holder: '', tokens: ['1'] };
let holders = 0;

/** No two holds of a client have the same id. */
function newHolder(): string {
  holders += 1;
  return `${id}:${holders}`;
}

function lockCalls(lock: LockProtocol): Command<unknown>[] {
  const holder = newHolder();
  const claim = { key: lock.key, holderId: holder, count: 2, leaseMs: 1 };
  return [
    lock.acquire(holder, 2, 1, 'queue'),
    lock.release(holder, { ...NOTHING_HELD, upTo: 3 }),
    lock.forceRelease(request),
    lock.holders('0'),
    lock.obstacles(),
    lock.lease('0', 0),
    lock.holdCount(holder),
    lock.renewal([claim]),
    ...handOvers(lock, claim, newHolder()),
    ...(lock instanceof HashLockProtocol && !(lock instanceof FairLockProtocol)
      ? lineCalls(lock.lineKeys, lock.channel)
      : []),
  ];
}

function lineCalls(keys: LineKeys, channel: string): Command<unknown>[] {
  const terms = { keys, channel, leaseMs: 1, renewed: true, tokens: 1 };
  const holderId = newHolder();
  const router = { publish: 'PUBLISH' } as const;
  const asked = { holder: holderId, leaseMs: 1, partMs: 1, isExact: false, all: false };
  return [
    enterOf(router, terms, { holderId, windowMs: 1, isListening: true, place: undefined }),
    recheckOf(router, [{ terms, windowMs: 1, holderId, isListening: true }]),
    askOf(router, [{ keys, heldBy: undefined, ticket: 'heard' }], asked),
    releaseOf(services.router, [{ keys, holderId, terms: NOTHING_HELD }], false),
    ...keys.token.map((token) =>
      commandOf(scripts.quorumRaiseTokens, { locks: [keys.lock, token] }, raised),
    ),
  ];
}

interface Sample {
  readonly object: NamedObject;
  readonly calls: readonly Command<unknown>[];
}

/** What an object declares of its number of permits. */
const declared = { count: 1, onMismatch: 'keep' } as const;

const claim = { first: Buffer.alloc(16), count: 1, leaseMs: 1 };
const permitId = '00'.repeat(16);

/** Every kind of object, with every call that it makes. */
const kinds: readonly ((name: string, key: string) => Sample)[] = [
  ...[
    (name: string, key: string) => new HashLockProtocol(services, 'lock', name, key),
    (name: string, key: string) => new FairLockProtocol(services, name, key),
    (name: string, key: string) => new FencedLockProtocol(services, 'fenced-lock', name, key),
  ].map((create) => (name: string, key: string) => {
    const object = create(name, key);
    return { object, calls: lockCalls(object) };
  }),
  (name, key) => {
    const [object, writer] = [
      new ReadProtocol(services, name, key),
      new WriteProtocol(services, name, key),
    ];
    return { object, calls: [...lockCalls(object), ...lockCalls(writer), object.leaveQueue()] };
  },
  (name, key) => {
    const object = new SemaphoreProtocol(services, name, key, new Statements(), declared);
    const calls = [
      object.acquire(request, [], true),
      object.release(request, { permits: 1, mark: '0', place: 1 }, [], true),
      object.giveBackGrant({ permits: 1, mark: '1:1:1', place: 1 }),
      object.settle(request),
      object.addPermits(request, 1),
      object.drainPermits(request),
      object.configure(request, 'keep 1 1'),
      object.trySetPermits(request, 1, 0),
      object.delete(request),
      object.inspect(),
    ];
    return { object, calls };
  },
  (name, key) => {
    const object = new ExpirableSemaphoreProtocol(services, name, key, new Statements(), declared);
    const item = { key, holderId: permitId, count: 1, leaseMs: 1 };
    const calls = [
      object.acquire(request, [claim], true, true),
      object.giveBack(request, [claim], { leaves: true, mayRun: true }),
      object.release(claim),
      object.releaseAny(request, permitId),
      object.updateLease(request, permitId, 1),
      object.trySet(request, 1, 0),
      object.resize(request, 'to', 1),
      object.resize(request, 'by', 1),
      object.cancel(request),
      object.configure(request, 'keep 1 1'),
      object.delete(request),
      object.inspect(),
      object.holders(),
      object.renewal([item]),
      ...handOvers(object, item, '1'.repeat(32)),
    ];
    return { object, calls };
  },
  (name, key) => {
    const object = new LatchProtocol(services, name, key);
    const calls = [
      object.trySetCount(request, 1, 0),
      object.countDown(request),
      object.delete(request),
      object.inspect(),
    ];
    return { object, calls };
  },
];

/** What a call names of another object only to look whether that is there, as its last keys. */
const looksAtTwin = new Set<string>([
  scripts.fairLockAcquire.name,
  ...['configure', 'try-set', 'resize', 'delete', 'release-any'].map(
    (word) => `expirable-semaphore/${word}`,
  ),
]);

const hasTwin = (key: string): boolean => !key.includes('{') || /^\{[^{}]+\}$/.test(key);

function keysOf({ object, calls }: Sample): Set<string> {
  const keys = calls.flatMap(({ script, operands }) => {
    const count = Number(operands[0]);
    const own = looksAtTwin.has(script.name) && hasTwin(object.key) ? count - 1 : count;
    return operands.slice(1, own + 1).map(String);
  });
  return new Set(keys);
}

const text = fc.constantFrom('y', 'z', 'a:b');
const { name: names } = fc.letrec<{ name: string }>((tie) => {
  const name = tie('name');
  const redissons = fc.constantFrom('queue', 'timeout', 'token');
  const ours = fc.constantFrom('opened', 'requests', 'cancelled', 'beats', 'generation', 'permits');
  return {
    name: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.tuple(name, text).map((parts) => parts.join('')),
      name.map((inner) => `{${inner}}`),
      fc.tuple(redissons, name).map(([word, inner]) => `redisson_lock_${word}:${inner}`),
      fc.tuple(ours, name).map(([word, inner]) => `redlatch_${word}:${inner}`),
      name.map((inner) => `${inner}:timeout`),
      name.map((inner) => `${inner}:${id}`),
    ),
  };
});

interface Drawn {
  readonly create: (typeof kinds)[number];
  readonly name: string;
}

const anyKind = fc.constantFrom(...kinds);
const samples: fc.Arbitrary<Drawn> = fc.record({ create: anyKind, name: names });

/** Names that look like those of keys beside one that is called `name`. */
const besides = (name: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    name,
    `{${name}}`,
    name.replaceAll(/[{}]/g, ''),
    ...[name, `{${name}}`].flatMap((tagged) => [
      `${tagged}:timeout`,
      ...['queue', 'timeout', 'token'].map((word) => `redisson_lock_${word}:${tagged}`),
      `redlatch_beats:${tagged}`,
    ]),
  );

const pairs: fc.Arbitrary<readonly [Drawn, Drawn]> = samples.chain((one) =>
  fc
    .oneof(samples, fc.record({ create: anyKind, name: besides(one.name) }))
    .map((other) => [one, other] as const),
);

/** Undefined when the name is refused. */
function make({ create, name }: Drawn): Sample | undefined {
  try {
    return create(name, objectKey('', name));
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError);
    return undefined;
  }
}

function isRefusedBeside(one: NamedObject, other: NamedObject): boolean {
  const inUse = new Names();
  inUse.enter(one);
  try {
    inUse.enter(other);
    return false;
  } catch {
    return true;
  }
}

test('two objects either share no key, or are refused where they meet', () => {
  let met = 0;
  const shared = fc.property(pairs, ([one, other]) => {
    const [first, second] = [make(one), make(other)];
    fc.pre(first !== undefined && second !== undefined);
    fc.pre(one.name !== other.name || one.create !== other.create);
    const keys = keysOf(second);
    const common = [...keysOf(first)].filter((key) => keys.has(key));

    met += common.length > 0 ? 1 : 0;

    expect([isRefusedBeside(first.object, second.object), common]).toEqual([
      common.length > 0,
      common,
    ]);
  });

  fc.assert(shared, { numRuns: 2_000 });
  expect(met).toBeGreaterThan(100);
});

test('all keys of an object are in one slot', () => {
  const oneSlot = fc.property(samples, (drawn) => {
    const sample = make(drawn);
    fc.pre(sample !== undefined);

    const slots = new Set([...keysOf(sample)].map(slotOf));
    const all = sample.calls.flatMap(({ operands }) => operands.slice(1, Number(operands[0]) + 1));

    expect([...slots]).toEqual([slotOf(sample.object.key)]);
    expect(new Set(all.map((key) => slotOf(String(key))))).toEqual(slots);
  });

  fc.assert(oneSlot, { numRuns: 500 });
});

test('every script is called by some object, or by all of them', () => {
  const called = kinds.flatMap((create) => create('y', 'y').calls.map(({ script }) => script.name));
  const ofAll = ['requests/cancel', 'requests/trim'];

  const all = Object.values(scripts).map(({ name }) => name);
  expect([...new Set([...called, ...ofAll])].toSorted()).toEqual(all.toSorted());
});
