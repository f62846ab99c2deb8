// A template that is refused: what it holds is not told.

import { expect, test } from 'vitest';
import { createClient } from '../../src/index.js';
import { randomName } from '../support/redis.js';
import { textsIn } from '../support/walk.js';
import { expectNoSecrets, MARK } from './secrets.js';

test('an address that is wrong is refused without its password', async () => {
  const others = [MARK, `user:${MARK}@host:1`, `http://user:${MARK}@host`, `redis:${MARK}`];
  const urls = [
    ...others,
    `//user:${MARK}@host:port`,
    `redis://user:${MARK}@host:port`,
    `redis://user:${MARK}#@host:1`,
    `redis://user:${MARK}?@127.0.0.1:1`,
    `redis://user:${MARK}/x@127.0.0.1:1`,
    `redis://user:${MARK}%@127.0.0.1:1`,
    `redis://user:${MARK} @127.0.0.1:99999`,
    `REDIS://user:${MARK}@127.0.0.1:1`,
    `redis://127.0.0.1:1/${MARK}?password=${MARK}`,
    `redis://127.0.0.1:1?role=slave&password=${MARK}`,
    `/tmp/${randomName('none').replaceAll(':', '-')}.sock?password=${MARK}`,
  ];

  const outcomes = await expectNoSecrets(urls);

  const refused = outcomes.filter((each) => each instanceof TypeError);
  expect(refused.length).toBeGreaterThan(8);
  expect(refused.every(({ message }) => message.startsWith('redis'))).toBe(true);
});

test('a template of the wrong type is refused without what it holds', async () => {
  const bad = [
    [MARK],
    Symbol(MARK),
    () => MARK,
    { host: '127.0.0.1', port: 1, password: { value: MARK } },
    { host: '127.0.0.1', port: 1, password: [MARK], username: Symbol('x') },
    { host: '127.0.0.1', port: 1, password: MARK, role: 'slave' },
    { host: '127.0.0.1', port: 1, password: MARK, Connector: MARK },
    { host: '127.0.0.1', port: 1, password: MARK, sentinels: [], name: MARK },
  ];

  await expectNoSecrets(bad as never[]);
  const wrong = [`http://:${MARK}@127.0.0.1`, MARK, new URL(`redis://:${MARK}@h`), [MARK]];
  const given = wrong.map((options) => attempt(() => createClient(options as never)));
  const elsewhere = ['leaseMs', 'commandTimeoutMs', 'keyPrefix', 'shardedSubscriptionMode'].map(
    (option) => attempt(() => createClient({ [option]: `redis://:${MARK}{@}{127.0.0.1` })),
  );

  expect([...given, ...elsewhere].flatMap(textsIn).join('\n')).not.toContain(MARK);
  expect(given.every((error) => error instanceof TypeError)).toBe(true);
});

function attempt(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}
