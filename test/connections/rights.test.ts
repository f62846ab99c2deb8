// Signing in: with a password, as a user who may do little, and when the server refuses.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import { channelsUnder, randomName, rawClient, runPrefix } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { ownServer, type OwnServer } from '../support/server.js';
import { further, inScripts, leastRights, seldom, useEverything } from './everything.js';
import { expectCycle, expectWaitEndsByMessage, expectWorks, openClient } from './exercise.js';

let server: OwnServer;
let raw: Redis;

beforeAll(async () => {
  server = await ownServer();
  await rawClient(server.url).config('SET', 'requirepass', 'open sesame');
  raw = rawClient(server.url, { password: 'open sesame' });
});

async function addUser(name: string, rights: string[]): Promise<string> {
  await raw.call('ACL', 'SETUSER', name, 'reset', 'on', '>secret', ...rights);
  return `redis://${name}:secret@${server.host}:${server.port}`;
}

const channelOf = (name: string): string => `redisson_lock__channel:{${name}}`;

const source = Object.values(scripts)
  .map((script) => script.source)
  .join('\n');

test('the rights name every command that a script uses, and no other', () => {
  const used = [...source.matchAll(/redis\.p?call\('(?<command>[A-Z]+)'/gu)].map(
    ({ groups }) => groups?.['command']?.toLowerCase() ?? '',
  );

  expect(inScripts.toSorted()).toEqual([...new Set([...used, 'publish'])].toSorted());
});

test('the documents name the same rights', () => {
  const text = readFileSync('docs/connecting.md', 'utf8');
  const blocks = [...text.matchAll(/```text\n(?<rights>[~+].*?)```/gsu)].map(({ groups }) =>
    groups?.['rights']?.split(/\s+/u).filter(Boolean).toSorted(),
  );

  expect(blocks).toEqual([
    leastRights('app:').toSorted(),
    further.cluster.map((command) => `+${command}`).toSorted(),
  ]);
  expect(text).toContain(further.database.map((command) => `\`+${command}\``).join());
});

test('a user with the least rights can use everything', async () => {
  const redis = await addUser('least', leastRights(runPrefix()));
  const pair = [openClient({ redis }), openClient({ redis })] as const;

  await useEverything(pair[0], raw);
  await expectWaitEndsByMessage(pair, raw);
});

test('a user with the least rights works after a cut, and without INFO if it is not asked', async () => {
  const url = new URL(await addUser('uninformed', [...leastRights(runPrefix()), '-info']));
  const { username, password } = url;
  const { host, port } = server;

  await expectWorks({ redis: { host, port, username, password, enableReadyCheck: false } }, raw);
});

describe('a user whose rights are one short is refused', () => {
  afterAll(async () => {
    // A script that may not set a TTL, or not delete, leaves what it wrote before.
    await raw.flushall();
  });

  const often = inScripts.filter((command) => ![...seldom, 'publish'].includes(command));

  test.each(often)('without %s', async (command) => {
    const redis = await addUser(`without-${command}`, [...leastRights(runPrefix()), `-${command}`]);
    // Where a call has been carried out before, a missing right is an outage.
    const client = openClient({ redis, commandTimeoutMs: 500, waitMs: 500 });

    // A wait may end with what this client holds itself, of which the release is refused.
    await expect(useEverything(client, raw)).rejects.toThrow(
      /can't run this command|was still held by/u,
    );
  });
});

test('a name outside the rights of the user is refused, others go on', async () => {
  const redis = await addUser('fenced-in', leastRights(runPrefix()));
  const client = openClient({ redis });

  await expect(client.getLock('not-mine').acquire()).rejects.toThrow(
    /NOPERM|can't run|permission|access/,
  );
  await expectCycle(client, raw);
});

test('without the right to subscribe a wait still ends, and the error is told', async () => {
  const redis = await addUser('deaf', [...leastRights(runPrefix()), '-subscribe']);
  const client = openClient({ redis });
  const errors: string[] = [];
  client.on('error', ({ error }) => errors.push(error.message));
  const name = randomName();
  const hold = await openClient({ redis }).getLock(name).acquire({ leaseMs: 400 });

  const next = await client.getLock(name).acquire({ waitMs: 4_000 });

  expect(hold.isHeld).toBe(false);
  expect(next.isHeld).toBe(true);
  await eventually(() => errors.some((message) => message.includes('NOPERM')));
  await next.release();
});

test('a channel that is refused after a reconnect makes no other one deaf, and is told once', async () => {
  const redis = await addUser('losing-one', leastRights(runPrefix()));
  const client = openClient({ redis });
  const errors: string[] = [];
  client.on('error', ({ error }) => errors.push(error.message));
  const names = Array.from({ length: 20 }, () => randomName('channel'));
  // Of Java: its release notifies on the channel of the lock, to which those that wait listen.
  await Promise.all(names.map(async (name) => await raw.hset(name, `${randomUUID()}:1`, 1)));
  const abort = new AbortController();
  const [refused = '', ...others] = names;
  const inVain = client.getLock(refused).acquire({ signal: abort.signal });
  const waits = others.map(async (name) => await client.getLock(name).acquire());
  const listened = async (): Promise<number> =>
    (await channelsUnder('redisson_lock__channel:{', raw)).length;
  await eventually(async () => (await listened()) === names.length);

  // The server ends the connection of a user who listens to more than it may.
  const rights = ['&redlatch:*', ...others.map((name) => `&${channelOf(name)}`)];
  await raw.call('ACL', 'SETUSER', 'losing-one', 'resetchannels', ...rights);
  await eventually(() => errors.some((message) => message.includes(channelOf(refused))));
  await eventually(async () => (await listened()) === others.length);
  const releasedAt = performance.now();
  for (const name of others) {
    await raw.multi().del(name).publish(channelOf(name), '0').exec();
  }
  const granted = await Promise.all(waits);

  // Without messages they would ask again after two seconds.
  expect(performance.now() - releasedAt).toBeLessThan(1_500);
  expect(errors.filter((message) => message.includes('NOPERM'))).toEqual([
    expect.stringContaining(channelOf(refused)),
  ]);
  abort.abort(new Error('enough'));
  await expect(inVain).rejects.toThrow('enough');
  await Promise.all(granted.map(async (hold) => await hold.release()));
  await raw.del(refused);
});

test('a hold is suspect while its user is shut out, and held again when it is back', async () => {
  const redis = await addUser('in-and-out', leastRights(runPrefix()));
  const client = openClient({ redis, leaseMs: 6_000, commandTimeoutMs: 500 });
  const states: string[] = [];
  client.on('suspect', () => states.push('suspect'));
  client.on('lost', () => states.push('lost'));
  const hold = await client.getLock(randomName()).acquire();

  await raw.call('ACL', 'DELUSER', 'in-and-out');
  await eventually(() => hold.state === 'suspect');
  await addUser('in-and-out', leastRights(runPrefix()));
  await eventually(() => hold.state === 'held');

  expect(states).toEqual(['suspect']);
  await hold.release();
});

test('nothing is left of all these clients', async () => {
  const allow = [/^redlatch_(cancelled|requests|opened|beats|readers|waiting|writers):/];

  await expectNoResidue(runPrefix(), { client: raw, allow, withinMs: 4_000 });
  await expectNoChannels(runPrefix(), { client: raw });
});
