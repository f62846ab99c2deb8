// A command behind a call goes on the connection that has answered the call, or nowhere.

import { expect, test } from 'vitest';
import { rejection } from '../contract/fixture.js';
import { eventually } from '../support/eventually.js';
import { callOne, linkTo } from '../support/link.js';
import { startProxy } from '../support/proxy.js';
import { redisUrl } from '../support/redis.js';

test('a call of an earlier connection has nothing behind it any more', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const told: unknown[] = [];
  const link = linkTo(proxy.url, {
    up: () => told.push('up'),
    fault: (error) => told.push(error),
  });
  const call = callOne({
    answered: () => told.push('answered'),
    failed: () => told.push('failed'),
  });
  link.open();
  link.send(call);
  await eventually(() => told.includes('answered'));

  expect(call.writtenBy).toBe(link);
  expect(await link.sendBehind(call, ['ECHO', 'behind'], 0)).toBe('behind');
  proxy.cutAll();
  await eventually(() => told.filter((each) => each === 'up').length === 2);
  await rejection(link.sendBehind(call, ['ECHO', 'elsewhere'], 0));

  expect(proxy.requests().flat()).not.toContain('elsewhere');
});
