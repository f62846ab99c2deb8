// The cluster module of Node.js: workers share nothing but the server.

import { afterAll, expect, test } from 'vitest';
import { startWorker } from '../support/processes.js';
import { redisUrl } from '../support/redis.js';
import { expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';

const scope = testScope('primary');

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_(?:cancelled|requests):/] });
});

test('one worker of a cluster leads, and when it is killed the other one does', async () => {
  const primary = startWorker('primary', { args: [redisUrl(), scope.name()] });
  const first = await primary.message('leads');
  primary.send({ type: 'kill', id: first['id'] });
  const killed = await primary.message('exited');
  const second = await primary.message('leads');
  primary.send({ type: 'stop', id: second['id'] });
  const stopped = await primary.message('exited');

  expect(killed).toMatchObject({ id: first['id'], signal: 'SIGKILL' });
  expect(new Set([first['id'], second['id']])).toEqual(new Set([1, 2]));
  expect(stopped).toMatchObject({ id: second['id'], code: 0 });
  expect(primary.messages.filter(({ type }) => type === 'leads')).toHaveLength(2);
  expect(await primary.exited).toEqual({ code: 0, signal: null });
});
