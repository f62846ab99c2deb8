// Whatever becomes of other channels, slots and nodes: a channel that the server lists as subscribed is one
// whose messages arrive.

import type { Redis } from 'ioredis';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createRouter } from '../../src/core/connection/create-router.js';
import { readTemplate } from '../../src/core/connection/endpoint.js';
import { systemEnvironment } from '../../src/core/connection/environment.js';
import type { Router } from '../../src/core/connection/router.js';
import { slotOf } from '../../src/core/connection/slots.js';
import { driverPackage } from '../support/driver.mjs';
import { eventually } from '../support/eventually.js';
import { objectKinds } from '../support/kinds/objects.js';
import { channelsUnder, randomName } from '../support/redis.js';
import { clusterWorld } from './cluster-world.js';
import { openClient } from './exercise.js';
import { moveSlot } from './move-slot.js';

const MASTERS = 3;
const world = await clusterWorld({ masters: MASTERS, replicas: 1, nodeTimeoutMs: 1_000 });
const masters = [0, 1, 2].map((index) => world.node(index));

/** What a channel of each kind is called; a plain one is heard on every node, so on that of its slot. */
const kinds = [
  {
    kind: 'plain',
    channelOn: (master: number) => channelInSlotOf(master, (word) => `redlatch:${word}`),
    list: ['PUBSUB', 'CHANNELS'],
    publish: 'PUBLISH',
  },
  {
    kind: 'sharded',
    channelOn: (master: number) =>
      channelInSlotOf(master, (word) => `redisson_lock__channel:{${word}}`),
    list: ['PUBSUB', 'SHARDCHANNELS'],
    publish: 'SPUBLISH',
  },
];

type Kind = (typeof kinds)[number];

const user = { username: 'listener', password: 'secret' };

/** Which of the nodes serves a slot now. */
async function ownerOf(slot: number, nodes: readonly Redis[]): Promise<Redis> {
  for (const node of nodes) {
    const lines = String(await node.cluster('NODES')).split('\n');
    const [, , , , , , , , ...ranges] = (lines.find((line) => line.includes('myself')) ?? '').split(
      ' ',
    );
    const isIts = ranges.some((range) => {
      const [from = -1, to = from] = range.split('-').map(Number);
      return !range.startsWith('[') && from <= slot && slot <= to;
    });
    if (isIts) {
      return node;
    }
  }
  throw new Error(`nobody serves ${slot}`);
}

function channelInSlotOf(master: number, named: (word: string) => string): string {
  for (;;) {
    const channel = named(randomName().replaceAll(/[{}]/gu, ''));
    const slot = slotOf(channel);
    if (Math.min(MASTERS - 1, Math.floor((slot * MASTERS) / 16_384)) === master) {
      return channel;
    }
  }
}

/** The name of a lock in the slot of a channel without a hash tag. */
const nameInSlotOf = (channel: string): string => `lock:{${channel}}`;

interface Listening {
  readonly router: Router;
  readonly heard: string[];
  readonly troubles: string[];
}

/** The connections of a client to the cluster. */
function listen(): Listening {
  const heard: string[] = [];
  const troubles: string[] = [];
  const report = (error: Error): number => troubles.push(error.message);
  const router = createRouter(
    readTemplate(world.template(user)),
    { commandTimeoutMs: 2_000, shardedSubscriptionMode: 'auto' },
    systemEnvironment(),
    {
      answerLimitMs: 2_000,
      leaseMs: 30_000,
      maxPauseMs: 1_000,
      access: { signedIn: false, served: false },
      health: { up: () => {}, down: () => {}, shown: () => {} },
      message: (channel, payload) => heard.push(`${channel} ${payload}`),
      confirmed: () => {},
      up: () => {},
      down: report,
      trouble: report,
      refused: report,
      fault: report,
      examined: () => {},
    },
  );
  router.open();
  onTestFinished(() => router.close(new Error('the test is over')));
  return { router, heard, troubles };
}

async function subscribed(router: Router, channels: readonly string[]): Promise<void> {
  for (const channel of channels) {
    router.channels.add(channel);
  }
  await eventually(() => channels.every((channel) => router.channels.isConfirmed(channel)), {
    withinMs: 10_000,
  });
}

/** Each channel of a test that a node lists gets a message, from this node. */
async function expectAllHeard(
  { heard }: Listening,
  mine: readonly string[],
  nodes: readonly Redis[] = masters,
): Promise<number> {
  let listed = 0;
  for (const node of nodes) {
    for (const { list, publish } of kinds) {
      const [command = '', ...args] = list;
      const channels = (await node.call(command, ...args)) as string[];
      for (const channel of channels.filter((each) => mine.includes(each))) {
        listed += 1;
        const payload = randomName('message');
        expect(await node.call(publish, channel, payload)).not.toBe(0);
        await eventually(() => heard.includes(`${channel} ${payload}`), { withinMs: 2_000 });
      }
    }
  }
  return listed;
}

beforeAll(async () => {
  const rights = ['reset', 'on', '>secret', '~*', '&redlatch*', '&redisson*', '+@all'];
  await Promise.all(
    world.servers.map(
      async (_, index) => await world.node(index).call('ACL', 'SETUSER', 'listener', ...rights),
    ),
  );
});

describe.each(kinds)('a $kind channel', ({ channelOn }: Kind) => {
  const [others] = kinds.filter((each) => each.channelOn !== channelOn);

  /** Channels of the other kind, on each master. */
  const stay = (): string[] => [0, 1, 2].map((master) => others?.channelOn(master) ?? '');

  test('is the last one of its node, and left', async () => {
    const here = listen();
    const [staying, leaving] = [stay(), [0, 1, 2].map((master) => channelOn(master))];
    await subscribed(here.router, [...staying, ...leaving]);

    for (const channel of leaving) {
      here.router.channels.remove(channel);
    }

    const listed = async (): Promise<number> =>
      await expectAllHeard(here, [...staying, ...leaving]);
    await eventually(async () => expect(await listed()).toBe(staying.length));
  });

  test.each([0, 1, 2])('is in a slot that moves away from master %i', async (from) => {
    const here = listen();
    const [staying, moving] = [stay(), channelOn(from)];
    await subscribed(here.router, [...staying, moving]);
    const slot = slotOf(moving);
    const source = await ownerOf(slot, masters);
    const target = masters.find((master) => master !== source)!;

    await moveSlot(masters, slot, source, target);

    const listed = async (): Promise<number> => await expectAllHeard(here, [...staying, moving]);
    await eventually(async () => expect(await listed()).toBe(staying.length + 1), {
      withinMs: 10_000,
    });
    // A client that was not notified of the move learns of it later, and is heard elsewhere until then.
    expect(here.troubles).toEqual([]);
  });

  test('is refused', async () => {
    const here = listen();
    const staying = [...stay(), ...[0, 1, 2].map((master) => channelOn(master))];
    const refused = channelOn(1).replace(/^red/u, 'forbidden-');
    await subscribed(here.router, staying);

    here.router.channels.add(refused);
    await eventually(() => here.router.channels.isRefused(refused));
    here.router.channels.remove(refused);

    expect(await expectAllHeard(here, [...staying, refused])).toBe(staying.length);
  });
});

/** Moves the slot of a channel or key to another master, which is returned. */
async function moveAway(channel: string): Promise<Redis> {
  const slot = slotOf(channel);
  const source = await ownerOf(slot, masters);
  const target = masters.find((master) => master !== source)!;
  await moveSlot(masters, slot, source, target);
  return target;
}

test('a forced release is heard at once, after the slot of the own channel has moved', async () => {
  const [holder, other] = [0, 1].map(() => openClient({ redis: world.template() }));
  const own = `redlatch:${holder!.id}`;
  const name = world.nameOn(0);
  const waiting = other!.getLock(name);
  for (let i = 0; i < 3; i += 1) {
    const hold = await holder!.getLock(name).acquire();
    const node = await ownerOf(slotOf(own), masters);
    await eventually(async () => (await channelsUnder(own, node)).includes(own));
    const target = await moveAway(own);
    // What moves the channel is a read of the map, which a command that is redirected brings about.
    await holder!.getLock(nameInSlotOf(own)).isLocked();
    await eventually(async () => (await channelsUnder(own, target)).includes(own));

    const startedAt = performance.now();
    expect(await waiting.forceRelease()).toBe(true);
    await eventually(() => hold.state === 'lost');
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  }
});

/** Not the channel of a connection to itself. */
const isAbout = (channel: string): boolean => !channel.startsWith('redlatch_self');

/** How often the map of slots was read. */
async function mapsRead(): Promise<number> {
  const infos = await Promise.all(masters.map(async (raw) => await raw.info('commandstats')));
  const counts = infos.map((info) => /cmdstat_cluster\|slots:calls=(\d+)/u.exec(info)?.[1] ?? 0);
  return counts.reduce<number>((sum, count) => sum + Number(count), 0);
}

/** Waits until clients that have just connected read the map no more: that would show a move, too. */
async function mapIsKnown(): Promise<void> {
  let last = -1;
  await eventually(
    async () => {
      const now = await mapsRead();
      const isKnown = now === last;
      last = now;
      return isKnown;
    },
    { everyMs: 500 },
  );
}

/** Older drivers do not report that a subscription was ended: it is confirmed again every 2.5 s. */
const FOLLOWS_WITHIN_MS = driverPackage === 'ioredis' ? 1_000 : 6_000;

test.each(objectKinds)('a waiter for a $id is woken, after its slot has moved', async (kind) => {
  const [holder, waiter] = [0, 1].map(() => openClient({ redis: world.template() }));
  const name = world.nameOn(1);
  const taken = await kind.take(holder!, name);
  const waiting = kind.wait(waiter!, name, { waitMs: 10_000 });
  waiting.catch(() => {});
  await eventually(async () => (await channelsUnder(name, world.node(1))).length > 0);
  await mapIsKnown();
  const before = (await channelsUnder(name, world.node(1))).filter(isAbout);

  const target = await moveAway(name);
  await eventually(
    async () => {
      const there = await channelsUnder(name, target);
      return before.every((channel) => there.includes(channel));
    },
    { withinMs: FOLLOWS_WITHIN_MS },
  );
  const startedAt = performance.now();
  await taken.free();

  expect(await waiting).not.toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(1_000);
  await taken.remove();
});

// The last test: the node does not come back.
test('the channels of a node that is gone are heard on the new master', async () => {
  const here = listen();
  const channels = [0, 0, 1, 2].flatMap((master) => kinds.map((each) => each.channelOn(master)));
  await subscribed(here.router, channels);
  await world.servers[0]?.stop();
  const left = [1, 2, 3].map((index) => world.node(index));

  await eventually(
    async () => expect(await expectAllHeard(here, channels, left)).toBe(channels.length),
    { withinMs: 20_000 },
  );
});
