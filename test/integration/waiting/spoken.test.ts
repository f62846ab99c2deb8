// A wait without a limit that nobody hears about says what it waits for, and where tasks wait for themselves
// or for each other, it says that.

import { expect, test } from 'vitest';
import { createClient, type Client, type ClientOptions } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { warningsWith } from '../../support/process-warnings.js';
import { quorumOfFile } from '../../support/quorum.js';
import { runNode } from '../../support/run-node.js';
import { randomName } from '../../support/redis.js';
import { ownServer } from '../../support/server.js';

const server = await ownServer();
const quorum = await quorumOfFile('spoken');
const warnings = warningsWith('REDLATCH_WAIT');
const none = (): void => undefined;

const warningsAbout = (name: string): string[] =>
  warnings.filter((text) => text.includes(`"${name}"`));

const clientWith = (options: ClientOptions = {}): Client =>
  createClient({ redis: server.url, stalledAfterMs: 200, ...options });

/** Opens once, for all who wait at it. */
function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = none;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open: () => open() };
}

/** Ends when its signal does, as the tests end what would wait for ever. */
async function ended(waits: Promise<unknown>[], abort: AbortController): Promise<void> {
  abort.abort(new Error('enough'));
  await Promise.allSettled(waits);
}

async function spokenOf(name: string): Promise<string> {
  await eventually(() => warningsAbout(name).length > 0, { withinMs: 5_000 });
  return warningsAbout(name).join('\n');
}

test('acquire() and then using() in one function is said in time', async () => {
  await using client = clientWith();
  const name = randomName();
  const lock = client.getLock(name);
  const abort = new AbortController();
  const hold = await lock.acquire();
  const startedAt = performance.now();
  const waiting = lock.using(none, { signal: abort.signal });

  const text = await spokenOf(name);
  const tookMs = performance.now() - startedAt;
  await ended([waiting], abort);
  await hold.release();

  expect(tookMs).toBeLessThan(2_000);
  expect(text).toContain(`${hold.holderId} (this client,`);
  expect(text).toContain('it waits for itself: acquire with { within: hold }');
});

const program = (rest: string): string => `
  import { createClient } from 'redlatch';
  const client = createClient({ redis: '${server.url}', stalledAfterMs: 100 });
  const names = Array.from({ length: 12 }, (_, i) => '${randomName('program')}' + i);
  const holds = await Promise.all(names.map((name) => client.getLock(name).acquire()));
  const abort = new AbortController();
  const { signal } = abort;
  const waits = names.map((name) => client.getLock(name).using(() => {}, { signal }).catch(() => {}));
  ${rest}
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  abort.abort();
  await Promise.all([...waits, ...holds.map((hold) => hold.release())]);
`;

test('a program prints ten lines and one about more, ends when its waits do, and one line silences it', async () => {
  const [loud, silent] = await Promise.all(
    ['', "client.on('stalled', () => {});"].map((rest) =>
      runNode(['--input-type=module', '-e', program(rest)], { withinMs: 20_000 }),
    ),
  );

  expect([loud?.code, silent?.code]).toEqual([0, 0]);
  expect(loud?.stderr.match(/REDLATCH_WAIT/g)).toHaveLength(11);
  expect(loud?.stderr).toContain('waits for 2 more names');
  expect(silent?.stderr).toBe('');
});

test('a wait inside the scope of what it waits for is said to wait for itself', async () => {
  await using client = clientWith();
  const name = randomName();
  const lock = client.getLock(name);
  const abort = new AbortController();

  const text = await lock.using(async () => {
    const waiting = lock.using(none, { within: null, signal: abort.signal });
    const spoken = await spokenOf(name);
    await ended([waiting], abort);
    return spoken;
  });

  expect(text).toContain('It waits for itself: the code that waits runs in the scope of that hold');
});

test('two branches of one holder that wait for each other are said to be a circle', async () => {
  await using client = clientWith();
  const [outer, other] = [randomName('outer'), randomName('other')];
  const abort = new AbortController();
  const { signal } = abort;
  const started = [gate(), gate()] as const;

  const text = await client.getLock(outer).using(async () => {
    const first = client.getLock(outer).using(async () => {
      started[0].open();
      await started[1].passed;
      await client.getLock(other).using(none, { signal });
    });
    const second = client.getLock(other).using(async () => {
      started[1].open();
      await started[0].passed;
      await client.getLock(outer).using(none, { signal });
    });
    const spoken = await spokenOf(other);
    await ended([first, second], abort);
    return spoken;
  });

  expect(text).toContain('wait in a circle');
  expect(text).not.toContain('It waits for itself');
});

interface Side {
  readonly held: string;
  readonly wanted: string;
}

/** Two tasks, each of which holds one thing and waits for the other. */
async function crossed(
  take: (name: string, task: () => Promise<void>) => Promise<unknown>,
  wait: (name: string, signal: AbortSignal) => Promise<unknown>,
  sides: readonly [Side, Side],
): Promise<string> {
  const abort = new AbortController();
  const held = sides.map(() => gate());
  const tasks = sides.map(({ held: own, wanted }, i) =>
    take(own, async () => {
      held[i]?.open();
      await Promise.all(held.map(({ passed }) => passed));
      await wait(wanted, abort.signal);
    }),
  );
  const text = await spokenOf(sides[0].wanted);
  await ended(tasks, abort);
  return text;
}

test('two tasks in a circle are told, and what each has', async () => {
  await using client = clientWith();
  const [a, b] = [randomName('a'), randomName('b')];

  const text = await crossed(
    async (name, task) => await client.getLock(name).using(task),
    async (name, signal) => await client.getLock(name).using(none, { signal }),
    [
      { held: a, wanted: b },
      { held: b, wanted: a },
    ],
  );

  expect(text).toContain(
    `wait in a circle: one has "${a}" and waits for "${b}", one has "${b}" and waits for "${a}"`,
  );
});

test('a reader and a writer in a circle are told, and readers alone are none', async () => {
  await using client = clientWith();
  const [a, b] = [randomName('a'), randomName('b')];

  const text = await crossed(
    async (name, task) => await client.getReadWriteLock(name).readLock.using(task),
    async (name, signal) => await client.getReadWriteLock(name).writeLock.using(none, { signal }),
    [
      { held: a, wanted: b },
      { held: b, wanted: a },
    ],
  );

  expect(text).toContain('wait in a circle');
});

test('a multi-lock tells the part, and what it has itself counts in a circle', async () => {
  await using client = clientWith();
  const both = client.getMultiLock([randomName('a'), randomName('b')]);
  const [first = '', second = ''] = both.names;
  const abort = new AbortController();
  const { signal } = abort;
  const inside = gate();

  const task = client.getLock(second).using(async () => {
    inside.open();
    await eventually(async () => await client.getLock(first).isLocked());
    await client.getLock(first).using(none, { signal });
  });
  await inside.passed;
  const joint = both.using(none, { signal });
  const text = await spokenOf(both.name);
  await ended([task, joint], abort);

  expect(text).toContain(`the multi-lock "${both.name}", just now for "${second}"`);
  expect(text).toContain(`one has "${first}" and waits for "${second}"`);
});

test('locks of a quorum tell who has them, themselves and circles', async () => {
  const client = await quorum.connected({ stalledAfterMs: 200 });
  const name = quorum.name();
  const abort = new AbortController();
  const hold = await client.getLock(name).acquire();
  const waiting = client.getLock(name).using(none, { signal: abort.signal });
  const plain = await spokenOf(name);
  await ended([waiting], abort);
  const [own, again] = [quorum.name(), new AbortController()];
  const itself = await client.getLock(own).using(async () => {
    const inner = client.getLock(own).using(none, { within: null, signal: again.signal });
    const text = await spokenOf(own);
    await ended([inner], again);
    return text;
  });
  const [a, b] = [quorum.name(), quorum.name()];
  const circle = await crossed(
    async (each, task) => await client.getLock(each).using(task),
    async (each, signal) => await client.getLock(each).using(none, { signal }),
    [
      { held: a, wanted: b },
      { held: b, wanted: a },
    ],
  );

  expect(plain).toContain(`${hold.holderId} (this client,`);
  await hold.release();
  expect(itself).toContain('It waits for itself');
  expect(circle).toContain(`one has "${a}" and waits for "${b}"`);
});

test('a wait with a limit is silent, of each kind that waits for parts or servers, too', async () => {
  await using client = clientWith({ stalledAfterMs: 20 });
  const voters = await quorum.connected({ stalledAfterMs: 20 });
  const name = randomName();
  const holds = [await client.getLock(name).acquire(), await voters.getLock(name).acquire()];
  const heard = client.getLock(randomName('heard'));
  const other = await heard.acquire();
  const semaphore = client.getSemaphore(randomName());
  await semaphore.trySetPermits(0);
  const abort = new AbortController();
  const endless = heard.acquire({ signal: abort.signal });

  const results = await Promise.all([
    client.getLock(name).tryAcquire({ waitMs: 300 }),
    client.getMultiLock([name, randomName()]).tryAcquire({ waitMs: 300 }),
    voters.getLock(name).tryAcquire({ waitMs: 300 }),
    semaphore.tryAcquire(1, { waitMs: 300 }),
  ]);
  await spokenOf(heard.name);
  await ended([endless], abort);
  await Promise.all([...holds, other].map((hold) => hold.release()));

  expect(results).toEqual([null, null, null, null]);
  expect(warningsAbout(name)).toEqual([]);
  expect(warningsAbout(semaphore.name)).toEqual([]);
});
