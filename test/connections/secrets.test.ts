// Nothing that comes out of a client holds a password: not what is thrown, not what is told, not
// what is attached to that, and nothing is printed.

import type { RedisOptions } from 'ioredis';
import { beforeAll, expect, test } from 'vitest';
import { createClient } from '../../src/index.js';
import { rejection } from '../contract/fixture.js';
import { eventually } from '../support/eventually.js';
import { startProxy, type Proxy } from '../support/proxy.js';
import { randomName, rawClient } from '../support/redis.js';
import { ownServer, type OwnServer } from '../support/server.js';
import { textsIn } from '../support/walk.js';
import { expectNoSecrets, instance, MARK, messagesOf, newSecret, templatesFor } from './secrets.js';

let plain: OwnServer;
let guarded: OwnServer;
let gone: OwnServer;

beforeAll(async () => {
  [plain, guarded, gone] = await Promise.all([ownServer(), ownServer(), ownServer()]);
  await rawClient(guarded.url).config('SET', 'requirepass', 'open sesame');
  await gone.stop();
});

test('a wrong password is refused without being told', async () => {
  const outcomes = await expectNoSecrets(templatesFor(guarded.host, guarded.port));

  expect(messagesOf(outcomes)).toContain('WRONGPASS');
});

test('a password that nobody asked for is not told', async () => {
  await expectNoSecrets(templatesFor(plain.host, plain.port));
});

const unknown = (command: string): string[] => ['--rename-command', command, ''];

test('a server that does not know the commands that sign in repeats them, and is not repeated', async () => {
  const { host, port } = await ownServer({ args: [...unknown('HELLO'), ...unknown('AUTH')] });

  const outcomes = await expectNoSecrets(templatesFor(host, port));

  expect(messagesOf(outcomes)).toMatch(/unknown command/i);
});

test('a user who may do nothing is told which command, and not its arguments', async () => {
  const raw = rawClient(plain.url);
  const [user, word] = [MARK + 'user', newSecret()];
  await raw.call(
    'ACL',
    'SETUSER',
    user,
    'on',
    `>${word}`,
    '~*',
    '&*',
    '+@all',
    '-evalsha',
    '-eval',
  );
  const { host, port } = plain;

  const outcomes = await expectNoSecrets([
    { host, port, username: user, password: word },
    `redis://${user}:${encodeURIComponent(word)}@${host}:${port}`,
  ]);

  expect(messagesOf(outcomes)).toMatch(/NOPERM.*eval/);
});

test('nobody listens there, and that is all that is told', async () => {
  const outcomes = await expectNoSecrets(templatesFor(gone.host, gone.port));

  expect(messagesOf(outcomes)).toContain('ECONNREFUSED');
});

test.each<[string, (proxy: Proxy) => unknown]>([
  ['is cut', (proxy) => proxy.cutReplyAfter(isSigningIn, { times: 1_000 })],
  ['is never answered', (proxy) => proxy.pauseDownstream()],
])('a client whose signing in %s tells nothing of it', async (_, fault) => {
  const proxy = await startProxy({ target: guarded.url });
  fault(proxy);

  const outcomes = await expectNoSecrets(templatesFor('127.0.0.1', proxy.port));

  expect(messagesOf(outcomes)).toContain('ERR_COMMAND_TIMEOUT');
});

function isSigningIn([name = '']: string[]): boolean {
  return /^(?:hello|auth)$/i.test(name);
}

test('TLS that fails tells neither password nor key nor passphrase', async () => {
  const secure = await ownServer({ tls: true });
  const { host, port } = secure;
  const key = `-----BEGIN PRIVATE KEY-----\n${MARK.repeat(4)}\n-----END PRIVATE KEY-----`;

  const templates = [
    ...templatesFor(plain.host, plain.port, true),
    ...templatesFor(host, port, true),
    { host, port, tls: { key, cert: key, passphrase: newSecret() } },
    { host, port, tls: { key: newSecret(), passphrase: 12_345 as never } },
    { host, port, tls: { pfx: Buffer.from(newSecret()), passphrase: newSecret() } },
  ];
  const outcomes = await expectNoSecrets(templates, { areRefused: true });

  expect(messagesOf(outcomes)).toContain('SELF_SIGNED_CERT');
});

const group = ({ host, port }: OwnServer): RedisOptions => ({
  sentinels: [{ host, port }],
  name: 'main',
  sentinelUsername: newSecret(),
  sentinelPassword: newSecret(),
  password: newSecret(),
});

test('Sentinel: no password of a sentinel or of a master is told', async () => {
  const outcomes = await expectNoSecrets([group(gone), group(guarded), instance(group(gone))]);

  expect(messagesOf(outcomes)).toContain('All sentinels are unreachable');
});

test('a user who is shut out while holding is told why, and not with which password', async () => {
  const raw = rawClient(plain.url);
  const [user, word] = [`${MARK}holder`, newSecret()];
  await raw.call('ACL', 'SETUSER', user, 'on', `>${word}`, '~*', '&*', '+@all');
  const { host, port } = plain;
  const redis = { host, port, username: user, password: word };
  const client = createClient({ redis, leaseMs: 150, commandTimeoutMs: 100 });
  const outcomes: unknown[] = [];
  for (const event of ['error', 'suspect', 'lost'] as const) {
    client.on(event, (told: object) => void outcomes.push({ event, ...told }));
  }
  const hold = await client.getLock(randomName()).acquire();

  await raw.call('ACL', 'DELUSER', user);
  await eventually(() => hold.signal.aborted);
  outcomes.push(hold.signal.reason, await rejection(hold.release()), hold);
  outcomes.push(await rejection(client.getLock(hold.lockName).tryAcquire()));
  await client.close({ timeoutMs: 50 });

  const shown = textsIn(outcomes).filter((text) => text.includes(MARK));
  expect(shown).toEqual([]);
  expect(messagesOf(outcomes)).toContain('WRONGPASS');
  expect(JSON.stringify(outcomes)).toContain('suspect');
});

test('an error of a script has no arguments, and is told by its class and its words', async () => {
  const raw = rawClient(plain.url);
  const name = randomName('other');
  await raw.set(name, 'x');
  const client = createClient({ redis: plain.url });

  const error = await client
    .getLock(name)
    .acquire()
    .catch((reason: unknown) => reason);

  const { cause } = error as Error;
  expect(error).toMatchObject({ code: 'ERR_WRONG_TYPE' });
  expect(cause).toMatchObject({ name: 'ReplyError' });
  expect((cause as Error).message).toContain('WRONGTYPE');
  expect((cause as Error).stack).toMatch(/^ReplyError: WRONGTYPE.*\n +at /);
  expect(new Set(Reflect.ownKeys(cause as Error))).toEqual(new Set(['message', 'name', 'stack']));
  await client.close();
});
