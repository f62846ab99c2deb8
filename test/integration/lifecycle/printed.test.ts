// What `console.log`, JSON and other loggers show of the objects that users get.

import { formatWithOptions, inspect } from 'node:util';
import { expect, test } from 'vitest';
import { LeaseLostError, type Client } from '../../../src/index.js';
import { fixture } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { redisUrl } from '../../support/redis.js';
import { textsIn } from '../../support/walk.js';
import { allLasting, kinds, lockKinds } from '../../support/kinds/kinds.js';
import { objectKinds } from '../../support/kinds/objects.js';

const { client, name } = fixture('printed', allLasting);

/** In the password of the client's URL, and nowhere else. */
const MARK = 'S3cr3tM4rk';

/** Words that only internals have. */
const INTERNALS = /services|protocol|#|owner|lease\b|redis:\/\/|function|\[Getter/iu;

/** A server without passwords takes any from the user that everybody is. */
function secretive(): Client {
  const url = new URL(redisUrl());
  url.username ||= 'default';
  url.password ||= MARK;
  return client({ redis: url.href });
}

interface Shown {
  readonly what: string;
  readonly value: unknown;
  /** How its line begins. */
  readonly line: string;
  readonly json: object;
}

const number = expect.any(Number) as number;

/** Every object that users get, on names of their own. */
async function everyObject(own: Client): Promise<Shown[]> {
  const shown: Shown[] = [
    {
      what: 'client',
      value: own,
      line: `Client { id: "${own.id}", state: "open", holds: `,
      json: { id: own.id, state: 'open', holds: number },
    },
  ];
  const labels: Record<string, string> = {
    semaphore: 'Semaphore',
    'permit-expirable-semaphore': 'PermitExpirableSemaphore',
    'count-down-latch': 'CountDownLatch',
    'read-write-lock': 'ReadWriteLock',
  };
  for (const { id, get } of objectKinds) {
    const value = get(own, name());
    const line = `${labels[id] ?? 'Lock'} { kind: "${id}", name: "${value.name}" }`;
    shown.push({ what: id, value, line, json: { kind: id, name: value.name } });
  }
  for (const { id, get } of lockKinds) {
    const value = get(own, name());
    const line = `Lock { kind: "${id}", name: "${value.name}" }`;
    shown.push({ what: `face of ${id}`, value, line, json: { kind: id, name: value.name } });
  }
  for (const { id, create } of lockKinds) {
    const lock = create(own, name());
    const hold = await lock.acquire();
    const { holderId, fencingToken } = hold;
    const token = fencingToken === undefined ? '' : `, fencingToken: "${fencingToken}"`;
    const line =
      `Hold { kind: "${id}", lockName: "${lock.name}", holderId: "${holderId}", depth: 1` +
      `${token}, state: "held", remainingMs: `;
    const tokens = fencingToken === undefined ? {} : { fencingToken: String(fencingToken) };
    const json = { kind: id, lockName: lock.name, holderId, depth: 1, ...tokens };
    shown.push({
      what: `hold of ${id}`,
      value: hold,
      line,
      json: { ...json, state: 'held', remainingMs: number },
    });
  }
  const expirable = own.getPermitExpirableSemaphore(name());
  await expirable.trySetPermits(1);
  const permit = await expirable.acquire();
  shown.push({
    what: 'permit',
    value: permit,
    line:
      `Permit { kind: "permit-expirable-semaphore", name: "${expirable.name}", ` +
      `id: "${permit.id}", state: "held", remainingMs: `,
    json: {
      kind: 'permit-expirable-semaphore',
      name: expirable.name,
      id: permit.id,
      state: 'held',
      remainingMs: number,
    },
  });
  const semaphore = own.getSemaphore(name());
  await semaphore.trySetPermits(2);
  const facts = { kind: 'semaphore', name: semaphore.name, count: 2, state: 'held' };
  shown.push({
    what: 'permits',
    value: await semaphore.acquire(2),
    line: `Permits { kind: "semaphore", name: "${semaphore.name}", count: 2, state: "held" }`,
    json: facts,
  });
  return shown;
}

test('every object is one line of what matters, at any depth and with any options', async () => {
  const every = await everyObject(secretive());

  for (const { what, value, line } of every) {
    const ways = {
      log: formatWithOptions({}, value),
      inspect: inspect(value),
      loud: inspect(value, { compact: false, depth: Infinity, showHidden: true, getters: true }),
      flat: inspect(value, { depth: -1 }),
      colours: inspect(value, { colors: true, breakLength: 1 }),
    };
    for (const [way, text] of Object.entries(ways)) {
      expect(text, `${what}, ${way}`).toContain(line);
      expect(text, `${what}, ${way}`).not.toMatch(/\n/u);
      expect(text, `${what}, ${way}`).not.toMatch(INTERNALS);
    }
    const nested = inspect({ a: { b: [{ c: value }] } }, { depth: 5, compact: false });
    expect(nested).toContain(`c: ${line}`);
  }
  // No kind was forgotten: all that can be acquired, and all that there is.
  expect(every).toHaveLength(1 + objectKinds.length + 2 * lockKinds.length + 2);
  expect(kinds).toHaveLength(lockKinds.length + 2);
});

test('JSON of every object is what matters, and leaks nothing', async () => {
  const every = await everyObject(secretive());

  for (const { what, value, json } of every) {
    const text = JSON.stringify(value);
    expect(JSON.parse(text), what).toEqual(json);
    expect(JSON.parse(JSON.stringify({ nested: [value] })), what).toEqual({ nested: [json] });
    expect(text, what).not.toContain(MARK);
    expect(textsIn(value).join('\n'), what).not.toContain(MARK);
  }
});

test('loggers that walk through properties find no internals', async () => {
  const every = await everyObject(secretive());

  for (const { what, value } of every) {
    const plain: Record<string, unknown> = { ...(value as object) };
    const allowed = ['id', 'name', 'readLock', 'writeLock', 'depth', 'fencingToken'];
    expect(
      Object.keys(plain).filter((key) => !allowed.includes(key)),
      what,
    ).toEqual([]);
    const values = Object.values(plain).filter((each) => typeof each === 'object');
    expect(values.every((each) => inspect(each).startsWith('Lock {'))).toBe(true);
    expect(Reflect.ownKeys(value as object).filter((key) => typeof key === 'symbol')).toEqual([]);
    if (values.length === 0) {
      expect(structuredClone(value), what).toEqual(plain);
    }
  }
});

test('a line stays one line, whatever the name is', () => {
  const wild = `${name()}\n"quoted"\u001b[31m`;

  const text = inspect(client().getLock(wild));

  expect(text).toBe(`Lock { kind: "lock", name: ${JSON.stringify(wild)} }`);
  expect(text.split('\n')).toHaveLength(1);
  expect(text).not.toContain('\u001b');
});

test('a line tells the truth after a release, a loss and a close', async () => {
  const own = client();
  const [lock, semaphore] = [own.getLock(name()), own.getSemaphore(name())];
  await semaphore.trySetPermits(1);
  const hold = await lock.acquire();
  const permits = await semaphore.acquire();

  expect(inspect(own)).toContain('state: "open", holds: 1 }');
  const releasing = permits.release();
  expect(inspect(permits)).toContain('state: "releasing" }');
  await releasing;
  await hold.release();
  expect(inspect(hold)).toContain('state: "released", remainingMs: 0 }');
  expect(inspect(permits)).toContain('state: "released" }');
  const lost = await lock.acquire();
  await lock.forceRelease();
  expect(inspect(lost)).toContain('state: "lost", remainingMs: 0 }');
  await own.close();
  expect(inspect(own)).toContain('state: "closed", holds: 0 }');
});

test('every event can be logged as JSON, and says what happened', async () => {
  const own = client({ stalledAfterMs: 50 });
  const lines = new Map<string, unknown>();
  for (const event of ['acquired', 'released', 'lost', 'stalled', 'error'] as const) {
    own.on(event, (payload: object) => {
      lines.set(event, JSON.parse(JSON.stringify(payload)));
    });
  }
  const fenced = own.getFencedLock(name());
  const hold = await fenced.acquire();
  const waiting = fenced.using(() => 'in');
  await eventually(() => lines.has('stalled'));
  await hold.release();
  await waiting;
  await fenced.acquire();
  await fenced.forceRelease();
  // An error that refers to itself, and holds what JSON cannot say.
  const circular = Object.assign(new Error('of a listener'), { huge: 10n, self: {} });
  circular.self = circular;
  own.once('acquired', () => {
    throw circular;
  });
  await fenced.using(() => undefined);

  const { name: resource } = fenced;
  const about = { resource, kind: 'fenced-lock' };
  expect(lines.get('acquired')).toMatchObject({ ...about, waitedMs: number });
  expect(lines.get('released')).toMatchObject({ ...about, heldMs: number });
  expect(lines.get('stalled')).toMatchObject({ ...about, waiters: 1, holders: [{ depth: 1 }] });
  expect(lines.get('lost')).toMatchObject({
    ...about,
    error: {
      name: 'LeaseLostError',
      code: 'ERR_LEASE_LOST',
      reason: 'deleted',
      resource,
      message: expect.stringContaining(resource) as string,
    },
  });
  expect(lines.get('error')).toEqual({ error: { name: 'Error', message: 'of a listener' } });
});

test('an error in JSON has its message and its cause', () => {
  const cause = Object.assign(new Error('gone'), { self: {} });
  cause.self = cause;

  const error = new LeaseLostError('it is lost', 'taken', { resource: 'it', cause });

  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: 'LeaseLostError',
    code: 'ERR_LEASE_LOST',
    message: 'it is lost',
    reason: 'taken',
    resource: 'it',
    cause: 'Error: gone',
  });
});
