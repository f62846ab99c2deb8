// What the application keeps under a name of ours, or under a key that we keep beside it, stays as it is:
// every call of every kind is refused at once, and says which key and what it found.

import { beforeAll, describe, expect, test } from 'vitest';
import {
  AcquireTimeoutError,
  ClosedError,
  LeaseLostError,
  NotHeldError,
  WrongTypeError,
  type Client,
} from '../../../src/index.js';
import * as scripts from '../../../src/core/wire/scripts.generated.js';
import { fixture } from '../../contract/fixture.js';
import { allLasting } from '../../support/kinds/kinds.js';
import { watchCommands } from '../../support/monitor.js';
import { rawClient } from '../../support/redis.js';
import { objectKinds, type ObjectKind } from '../../support/kinds/objects.js';

const { client, name, raw } = fixture('foreign', [...allLasting, /foreign/]);

interface Content {
  readonly what: string;
  /** As an error describes it. */
  readonly found: string;
  /** What `TYPE` answers. */
  readonly type: string;
  write(this: void, key: string): Promise<unknown>;
}

const HOLDER = '01234567-89ab-4cde-8f01-23456789abcd:1';

const contents: readonly Content[] = [
  {
    what: 'a hash',
    found: 'a hash with the field `name`',
    type: 'hash',
    write: async (key) => await raw.hset(key, { name: 'Ada' }),
  },
  {
    what: 'a string',
    found: 'a string',
    type: 'string',
    write: async (key) => await raw.set(key, 'abc'),
  },
  {
    what: 'a list',
    found: 'a list',
    type: 'list',
    write: async (key) => await raw.rpush(key, 'a'),
  },
  { what: 'a set', found: 'a set', type: 'set', write: async (key) => await raw.sadd(key, 'a') },
  {
    what: 'a sorted set',
    found: 'a zset',
    type: 'zset',
    write: async (key) => await raw.zadd(key, 1, 'a'),
  },
  {
    what: 'a stream',
    found: 'a stream',
    type: 'stream',
    write: async (key) => await raw.xadd(key, '*', 'a', 'b'),
  },
];

/** Hashes that a careless look takes for a lock. */
const nearLocks: readonly Content[] = [
  {
    what: 'a hash with a mode of its own',
    found: 'a hash with the field `mode`',
    type: 'hash',
    write: async (key) => await raw.hset(key, { mode: 'fast' }),
  },
  {
    what: 'a hash in read mode without readers',
    found: 'a hash with the field `name`',
    type: 'hash',
    write: async (key) => await raw.hset(key, { mode: 'read', name: 'Ada' }),
  },
  {
    what: 'a hash whose field has no UUID',
    found: 'a hash with the field `user:1`',
    type: 'hash',
    write: async (key) => await raw.hset(key, { 'user:1': '1' }),
  },
  {
    what: 'a hash whose field has a UUID and no number',
    found: `a hash with the field \`${HOLDER.slice(0, 36)}\``,
    type: 'hash',
    write: async (key) => await raw.hset(key, { [HOLDER.slice(0, 36)]: '1' }),
  },
];

/** The key as it is, and that it does not expire. */
async function state(key: string): Promise<readonly [Buffer | null, number]> {
  return [await raw.dumpBuffer(key), await raw.pttl(key)];
}

async function outcome(call: () => Promise<unknown>): Promise<unknown> {
  return await call().then(
    (value) => ({ value }),
    (error: unknown) => error,
  );
}

/** All methods, since a client remembers what it has seen under a name: each with a client of its own. */
async function refusals(kind: ObjectKind, object: string, own = client()): Promise<unknown[]> {
  const told: unknown[] = [];
  for (const call of kind.calls(own, object)) {
    told.push(await outcome(call));
  }
  return told;
}

describe.each(objectKinds)('a $id', (kind) => {
  const isCount = kind.layout === 'count';
  const foreign = isCount ? contents : [...contents, ...nearLocks];

  test.each(foreign)('with $what under its name', async (content) => {
    const object = name();
    await content.write(object);
    const before = await state(object);
    const own = client();

    for (const told of await refusals(kind, object, own)) {
      expect(told).toBeInstanceOf(WrongTypeError);
      expect(told).toMatchObject({ key: object, resource: object });
      expect(String(told)).toContain(
        isCount && content.type === 'string' ? 'a string that is no integer' : content.found,
      );
      expect(String(told)).toContain('keyPrefix');
    }
    expect(await state(object)).toEqual(before);
  });

  test('with a prefix names the whole key, and no prefix is advised', async () => {
    const object = name();
    const own = client({ keyPrefix: `${object}:` });
    await raw.hset(`${object}:job`, { name: 'Ada' });

    for (const told of await refusals(kind, 'job', own)) {
      expect(told).toMatchObject({ code: 'ERR_WRONG_TYPE', key: `${object}:job`, resource: 'job' });
      expect(String(told)).not.toContain('keyPrefix');
    }
  });
});

/** The letters of the declared types, which stand in each source. */
const TYPES: Record<string, string> = { s: 'string', h: 'hash', l: 'list', z: 'zset' };
const lettersOf = new Map(
  Object.values(scripts).flatMap(({ name: script, source }) => {
    const [, letters] = /checked\(KEYS,'([shlza]+)',run\)$/.exec(source) ?? [];
    return letters === undefined ? [] : [[script, letters] as const];
  }),
);
const scriptOf = new Map(Object.values(scripts).map(({ sha1, name: script }) => [sha1, script]));

/** The keys of all calls from now on, with their declared types. */
const seen = new Map<string, string>();
beforeAll(async () => {
  await watchCommands(rawClient(), ([command = '', what = '', count, ...rest], origin) => {
    if (origin === 'lua' || !/^eval(?:sha)?$/i.test(command)) {
      return;
    }
    const script = scriptOf.get(what) ?? /^-- (.+?)\\n/.exec(what)?.[1] ?? '';
    const letters = lettersOf.get(script) ?? '';
    rest.slice(0, Number(count)).forEach((key, i) => {
      const type = TYPES[letters[Math.min(i, letters.length - 1)] ?? ''];
      if (type !== undefined) {
        seen.set(key, type);
      }
    });
  });
});

/** Makes each call on a name of its own, which `prepare` gets before. Those that would wait end with the
 * client; their outcome is a ClosedError. */
async function eachAlone(
  kind: ObjectKind,
  prepare: (object: string, own: Client) => Promise<unknown>,
): Promise<{ object: string; told: unknown }[]> {
  const own = client();
  const objects = kind.calls(own, name()).map(() => name());
  await Promise.all(objects.map(async (object) => await prepare(object, own)));
  const calls = objects.map((object, i) => outcome(kind.calls(own, object)[i]!));
  // Two trips behind the calls, so that a refusal of those that wait has come.
  for (let trip = 0; trip < 4; trip += 1) {
    await own.getLock(name()).isLocked();
  }
  await own.close();
  const told = await Promise.all(calls);
  return objects.map((object, i) => ({ object, told: told[i] }));
}

/** Keys of one hold, whose name nobody knows beforehand, of the twin of a name, and of other clients. */
const NOT_OURS = /cancelled|rwlock_timeout|^\{\?\}$|\{\?\}\{\}|[\da-f]{8}-[\da-f]{4}/;

/** The keys beside the name that the methods of a kind use, free and taken, with their types; `?` for the
 * name, `@` for the client. */
async function sideKeys(kind: ObjectKind): Promise<Map<string, string>> {
  const other = client();
  const ids = new Set<string>();
  const used = await eachAlone(kind, async (object, own) => {
    ids.add(own.id);
    await kind.take(other, object);
  });
  const free = await eachAlone(kind, (_, own) => Promise.resolve(ids.add(own.id)));
  const mark = name();
  await raw.eval(scripts.lockLease.source, 1, mark);
  await expect.poll(() => seen.has(mark)).toBe(true);
  const patterns = new Map<string, string>();
  for (const { object } of [...used, ...free]) {
    for (const [key, type] of seen) {
      let pattern = key.replaceAll(object, '?');
      for (const id of ids) {
        pattern = pattern.replaceAll(id, '@');
      }
      // A name begins as others do: what follows it is no digit.
      if (/\?(?!\d)/.test(pattern) && pattern !== '?' && !NOT_OURS.test(pattern)) {
        patterns.set(pattern, type);
      }
    }
  }
  await other.close();
  return patterns;
}

/** Whether a call may end so where something foreign is in its way, or it does not need that key. */
function isFit(told: unknown, key: string): boolean {
  const error = told instanceof LeaseLostError ? told.cause : told;
  return error instanceof WrongTypeError
    ? error.key === key
    : !(error instanceof Error) ||
        error instanceof ClosedError ||
        error instanceof AcquireTimeoutError ||
        error instanceof NotHeldError;
}

/** Keys that a call needs only after seconds of waiting, beside these kinds. */
const LATE: Record<string, string> = {
  semaphore: 'redlatch_beats:{?}',
  'permit-expirable-semaphore': 'redlatch_beats:{?}',
};

describe.each(objectKinds)('the keys beside a $id', (kind) => {
  test('are not touched where they hold something else', async () => {
    const faults = new Set<string>();
    const keys = await sideKeys(kind);
    const other = client();
    const trials = [...keys].flatMap(([pattern, type]) =>
      // A hash of ours has fields that show whose it is, and so has that of an application.
      contents
        .filter((each) => each.type !== type || type === 'hash')
        .map((content) => ({ pattern, content })),
    );
    for (const { pattern, content } of trials) {
      let refused = 0;
      for (const isTaken of [false, true]) {
        const before = new Map<string, readonly [string, string]>();
        const ended = await eachAlone(kind, async (object, own) => {
          await (isTaken ? kind.take(other, object) : undefined);
          const key = pattern.replaceAll('?', object).replaceAll('@', own.id);
          await raw.del(key);
          await content.write(key);
          before.set(object, [key, JSON.stringify(await state(key))]);
        });
        for (const [i, { object, told }] of ended.entries()) {
          const [key, was] = before.get(object)!;
          const which = `${pattern} with ${content.what}, call ${i}, ${isTaken ? 'taken' : 'free'}`;
          if (JSON.stringify(await state(key)) !== was) {
            faults.add(`${which}: touched`);
          }
          if (!isFit(told, key)) {
            faults.add(`${which}: ${String(told)}`);
          }
          refused += told instanceof WrongTypeError ? 1 : 0;
          await raw.del(key, object);
        }
      }
      if (refused === 0 && pattern !== LATE[kind.id]) {
        faults.add(`${pattern} with ${content.what}: nothing was refused`);
      }
    }
    expect(keys.size).toBeGreaterThan(0);
    expect([...faults]).toEqual([]);
  });
});
