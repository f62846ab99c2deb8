// A release that gives a write lock to the first writer, and readers among them, on a real server.

import { expect, onTestFinished, test } from 'vitest';
import { createClientOn } from '../../../src/client.js';
import { systemClock } from '../../../src/core/base/clock.js';
import type { Client, Hold } from '../../../src/index.js';
import { fixture } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { messagesOn } from '../../support/messages.js';
import { redisUrl } from '../../support/redis.js';
import { BEAT_MS, JAVA, RwView } from '../rwlock/rwlock.js';

const { client, name, raw } = fixture('write-hand-off');
/** Clearly before anybody asks again of its own accord. */
const AT_ONCE_MS = BEAT_MS / 2;

const open = (): Client => client({ handOff: 'strict' });
const write = async (of: Client, { name: lock }: RwView): Promise<Hold> =>
  await of.getReadWriteLock(lock).writeLock.acquire();
const read = async (of: Client, { name: lock }: RwView): Promise<Hold> =>
  await of.getReadWriteLock(lock).readLock.acquire();

/** Those who hold the lock, on the server. */
const holders = async (view: RwView): Promise<string[]> =>
  Object.keys(await view.fields()).filter((field) => field !== 'mode');

/** A writer of another client, at the end of the line, which is told of its grant. */
async function waits(of: Client, view: RwView, place: number): Promise<{ hold: Promise<Hold> }> {
  const hold = write(of, view);
  hold.catch(() => undefined);
  await view.writersWait(place);
  await view.listened(place);
  return { hold };
}

test('a write lock goes to the writer that waits longest, and is never free in between', async () => {
  const view = new RwView(raw, name());
  const [first, second, third] = [open(), open(), open()];
  const hold = await write(first, view);
  const one = await waits(second, view, 1);
  const two = await waits(third, view, 2);
  const told = await messagesOn([second, third].map(({ id }) => `redlatch:${id}`));

  await hold.release();
  expect((await holders(view)).join()).toContain(second.id);
  const next = await one.hold;
  await next.release();
  expect((await holders(view)).join()).toContain(third.id);
  const last = await two.hold;
  await last.release();

  expect(await holders(view)).toEqual([]);
  await eventually(() => told.length === 2);
  expect(told[0]).toMatch(new RegExp(`^x${next.holderId} [0-9]+ [0-9]+ 0 ${view.name}$`));
});

test('the last reader that leaves gives it to the writer that has waited', async () => {
  const view = new RwView(raw, name());
  const [reader, writer, later] = [open(), open(), open()];
  const reading = [await read(reader, view), await read(reader, view)];
  const { hold: writing } = await waits(writer, view, 1);
  const reads = read(later, view);
  await view.readersWait(1);

  await reading[0]?.release();
  expect(await holders(view)).toEqual([reading[1]?.holderId]);
  await reading[1]?.release();
  expect(await holders(view)).toEqual([`${(await writing).holderId}:write`]);
  await (await writing).release();
  await (await reads).release();
});

test('readers that have waited for longer get in first, and the last of them serves the writer', async () => {
  const view = new RwView(raw, name());
  const [holder, reader, writer] = [open(), open(), open()];
  const hold = await write(holder, view);
  const reads = read(reader, view);
  await view.readersWait(1);
  const writing = write(writer, view);
  await view.writersWait(1);

  const start = performance.now();
  await hold.release();
  const reading = await reads;
  expect(await holders(view)).toEqual([reading.holderId]);
  await reading.release();
  const next = await writing;

  expect(performance.now() - start).toBeLessThan(AT_ONCE_MS);
  await next.release();
});

test('a grant lasts for a window, and is confirmed to the whole lease at once', async () => {
  const view = new RwView(raw, name());
  const [first, second] = [open(), client({ leaseMs: 60_000 })];
  const hold = await write(first, view);
  const { hold: waiting } = await waits(second, view, 1);

  await hold.release();
  const next = await waiting;

  expect(next.remainingMs).toBeLessThanOrEqual(20_000);
  await eventually(() => next.remainingMs > 20_000);
  expect(await raw.pttl(view.name)).toBeGreaterThan(20_000);
  await next.release();
});

test('clients that are gone are passed over at once, however many there are', async () => {
  const view = new RwView(raw, name());
  const [first, last] = [open(), open()];
  const hold = await write(first, view);
  const gone = Array.from(
    { length: 300 },
    (_, i) => `${String(i).padStart(8, '0')}-0000-4000-8000-000000000000:1`,
  );
  await view.intend(0, ...gone);
  const now = Date.now();
  await raw.hset(view.tickets, Object.fromEntries(gone.map((id) => [id, `${now} 10000 1 0`])));
  const waiting = write(last, view);
  const mine = await eventually(async () => {
    const tickets = Object.entries(await raw.hgetall(view.tickets));
    const own = tickets.find(([id, ticket]) => id.startsWith(last.id) && ticket.endsWith(' 1 0'));
    return own?.[0] ?? false;
  });

  await hold.release();

  expect(await holders(view)).toEqual([`${mine}:write`]);
  await (await waiting).release();
  await raw.del(view.writers, view.tickets, view.beats);
});

test.each(['read', 'write'] as const)(
  'a forced release of the %s side gives the lock to a writer that waits',
  async (side) => {
    const view = new RwView(raw, name());
    const [first, second, third] = [open(), open(), open()];
    const hold = await (side === 'read' ? read : write)(first, view);
    const { hold: waiting } = await waits(second, view, 1);

    const lock = third.getReadWriteLock(view.name)[`${side}Lock`];
    expect(await lock.forceRelease()).toBe(true);

    expect((await holders(view)).join()).toContain(second.id);
    expect((await waiting).isHeld).toBe(true);
    await eventually(() => hold.state === 'lost');
    await (await waiting).release();
  },
);

test('a grant that nobody waits for is given back at once', async () => {
  const view = new RwView(raw, name());
  const other = new RwView(raw, name());
  const [first, second] = [open(), open()];
  const hold = await write(first, view);
  const { hold: waiting } = await waits(second, view, 1);
  const holderId = `${second.id}:999999`;
  await other.javaWrites(holderId, 60_000);

  await raw.publish(`redlatch:${second.id}`, `x${holderId} ${Date.now()} 10000 0 ${other.name}`);

  await eventually(async () => (await raw.exists(other.name)) === 0);
  await hold.release();
  await (await waiting).release();
});

test('a run ends when a reader of another client comes', async () => {
  const view = new RwView(raw, name());
  // No time passes that could end it.
  const clock = { ...systemClock(), now: () => 1_000 };
  const writer = createClientOn({ clock }, { redis: redisUrl() });
  onTestFinished(async () => await writer.close());
  const reader = client();
  const hold = await write(writer, view);
  const next = [write(writer, view), write(writer, view)];
  await eventually(async () => (await raw.pubsub('NUMSUB', `redlatch:${writer.id}`))[1] === 1);
  const told = await messagesOn(`redlatch:${writer.id}`);

  const reads = read(reader, view);
  await view.readersWait(1);
  await eventually(() => told.length > 0);
  // Whatever the server has sent before is here once that has been read.
  await raw.ping();
  await new Promise(setImmediate);
  await hold.release();
  const reading = await reads;

  expect(told).toEqual([`o${hold.holderId} ${view.name}`]);
  await reading.release();
  for (const writing of next) {
    await (await writing).release();
  }
});

test('a run does not pass the lock over a reader of its own client', async () => {
  const view = new RwView(raw, name());
  const writer = client();
  const order: string[] = [];
  const hold = await write(writer, view);
  const { readLock, writeLock } = writer.getReadWriteLock(view.name);
  const reads = readLock.using(() => void order.push('read'));
  const writes = writeLock.using(() => void order.push('write'));

  await hold.release();
  await Promise.all([reads, writes]);

  expect(order).toEqual(['read', 'write']);
});

test('a writer that is granted the lock before waiting readers passes it on to nobody', async () => {
  const view = new RwView(raw, name());
  const [holder, writer, reader] = [open(), client(), open()];
  const order: string[] = [];
  const hold = await write(holder, view);
  const { writeLock } = writer.getReadWriteLock(view.name);
  const writes = [writeLock.acquire(), writeLock.acquire()];
  await view.writersWait(1);
  await view.listened(1);
  const reads = read(reader, view).then(async (reading) => {
    order.push('read');
    await reading.release();
  });
  await view.readersWait(1);

  await hold.release();
  for (const waiting of writes) {
    const writing = await waiting;
    order.push('write');
    await writing.release();
  }
  await reads;

  expect(order).toEqual(['write', 'read', 'write']);
});

test('a reader of Java that comes later lets the writer in when it leaves', async () => {
  const view = new RwView(raw, name());
  const [reader, writer] = [open(), open()];
  const reading = await read(reader, view);
  const { hold: writing } = await waits(writer, view, 1);
  await view.javaReads(JAVA, 60_000);
  const told = await messagesOn(`redlatch:${writer.id}`);

  await reading.release();
  await eventually(() => told.length === 1);
  // It was told, listens to the lock, and has asked again since.
  await eventually(async () =>
    (await raw.hvals(view.tickets)).some((ticket) => ticket.endsWith(' 1')),
  );
  const start = performance.now();
  await raw.multi().del(view.name, view.holdKey(JAVA)).publish(view.channel, '0').exec();
  const next = await writing;

  expect(performance.now() - start).toBeLessThan(AT_ONCE_MS);
  expect(told[0]).toBe(`r${next.holderId} ${view.name}`);
  await next.release();
});

test('a lock is freed openly for those who stand in no line, once a round', async () => {
  const view = new RwView(raw, name());
  const [first, second] = [open(), open()];
  const opened = await messagesOn(view.channel);
  let hold = await write(first, view);
  for (const of of [second, first, second, first]) {
    const { hold: waiting } = await waits(of, view, 1);
    await hold.release();
    hold = await waiting;
  }
  await hold.release();

  // The last one is that of a lock for which nobody waits.
  await eventually(() => opened.length >= 3);
  expect(new Set(opened)).toEqual(new Set(['1']));
});
