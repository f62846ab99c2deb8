// As whom clients of node-redis sign in, with a password, without one, and by a provider; as templates they do the same.

import { afterAll, describe, expect, test } from 'vitest';
import { withAdvice } from '../../src/core/observe/warnings.js';
import type { Credentials, NodeRedisClient } from '../../src/index.js';
import { rejection } from '../contract/fixture.js';
import { randomName, rawClient, runPrefix } from '../support/redis.js';
import { expectNoResidue } from '../support/residue.js';
import { ownServer } from '../support/server.js';
import { cutClients, expectCycle, openClient } from './exercise.js';
import {
  AGENT,
  allowAgent,
  inUse,
  LATER,
  VERSIONS,
  type NodeRedis,
  type Used,
} from './node-redis-versions.js';

const server = await ownServer();
const socket = { host: server.host, port: server.port };
const raw = rawClient(server.url);
await allowAgent(raw);
await raw.call('ACL', 'SETUSER', 'free', 'reset', 'on', 'nopass', '~*', '&*', '+@all');

const nothing = async (): Promise<object> => await Promise.resolve({});
const failing = async (): Promise<never> => await Promise.reject(new Error('no token'));

afterAll(async () => {
  await expectNoResidue(runPrefix(), { client: raw, allow: [/^redlatch_cancelled:/] });
});

/** As whom the client that has this label sends. */
async function userOf(label: string): Promise<string | undefined> {
  const list = String(await raw.client('LIST'));
  return new RegExp(` name=redlatch:${label} .* user=(\\S*)`, 'u').exec(list)?.[1];
}

/** As whom these options sign in, here and in node-redis itself. */
async function usersOf(
  { createClient }: NodeRedis,
  options: object,
): Promise<readonly (string | undefined)[]> {
  const make = (): NodeRedisClient & Used => createClient({ socket, ...options });
  const theirs = await (await inUse(make())).sendCommand(['ACL', 'WHOAMI']);
  const label = randomName('whose').replaceAll(/\W/gu, '-');
  const client = openClient({ redis: make(), label });
  const ours = await client.getLock(randomName()).using(async () => await userOf(label));
  return [String(theirs), ours];
}

describe.each(VERSIONS)('a user without a password, of node-redis %i,', (version, nodeRedis) => {
  test.each<readonly [string, object]>([
    ['alone', { username: 'default' }],
    ['with an empty password', { username: 'default', password: '' }],
    ['in a URL', { url: `redis://default@${server.host}:${server.port}` }],
    ['whom the server lets in', { username: 'free' }],
    ['with RESP3', { username: 'free', RESP: 3 }],
    // Version 5 signs nobody in where RESP is given, whichever, and cannot be told from version 6 then.
    ...(version === 5 ? [] : [['with RESP2', { username: 'free', RESP: 2 }] as const]),
    ['absent, and an empty password', { password: '' }],
  ])('signs in as there: %s', async (_kind, options) => {
    const [theirs, ours] = await usersOf(nodeRedis, options);

    expect(ours).toBe(theirs);
  });
});

describe.each(LATER)('a credentialsProvider of node-redis %i', (_, { createClient }) => {
  const type = 'async-credentials-provider';

  test('that gives nothing lets the default user in', async () => {
    const redis = createClient({ socket, credentialsProvider: { type, credentials: nothing } });

    await expectCycle(openClient({ redis }), raw);
  });

  test('that fails is named by the outage and its warning', async () => {
    const redis = createClient({ socket, credentialsProvider: { type, credentials: failing } });
    const client = openClient({ redis, commandTimeoutMs: 300 });
    const errors: string[] = [];
    client.on('error', ({ error }) => errors.push(withAdvice(error)));

    await rejection(client.getLock(randomName()).tryAcquire());

    expect(errors).toEqual([
      `redis.credentialsProvider for ${socket.host}:${socket.port}: no token. ` +
        'See the credentialsProvider of the client that was given as "redis"',
    ]);
  });

  test('is asked before each connection', async () => {
    let asked = 0;
    const credentials = async (): Promise<Credentials> => {
      asked += 1;
      return await Promise.resolve(AGENT);
    };
    const redis = createClient({
      socket,
      credentialsProvider: { type, credentials },
    });
    const client = openClient({ redis });
    await expectCycle(client, raw);
    const before = asked;
    await cutClients(raw);
    await expectCycle(client, raw);

    expect(before).toBeGreaterThan(0);
    expect(asked).toBeGreaterThan(before);
  });

  test('gives way to the option credentials, as a user and a password do', async () => {
    const wrong = { username: 'jo', password: 'wrong' };
    const streaming = { type: 'streaming-credentials-provider', subscribe: () => {} };

    for (const options of [wrong, { credentialsProvider: streaming }]) {
      const redis = createClient({ socket, ...options });
      await expectCycle(openClient({ redis, credentials: () => AGENT }), raw);
    }
  });
});
