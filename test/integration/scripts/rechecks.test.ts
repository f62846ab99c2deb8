// A waiter of a plain lock looks again after the lock has become one of another kind.

import { expect, onTestFinished, test } from 'vitest';
import { commandOf } from '../../../src/core/wire/call.js';
import * as scripts from '../../../src/core/wire/scripts.generated.js';
import { runAt } from '../../support/frozen-time.js';
import { randomName, rawClient } from '../../support/redis.js';

const NOW = 1_700_000_000_000;
const WAITER = '20000000-0000-4000-8000-000000000000:1';
const READER = '30000000-0000-4000-8000-000000000000:1';

test('a ticket of a lock that readers have is unknown, whichever field is seen first', async () => {
  const redis = rawClient();
  const lock = randomName('rechecks');
  const [line, tickets] = [`${lock}:line`, `${lock}:tickets`];
  onTestFinished(async () => void (await redis.del(lock, line, tickets)));
  await redis.hset(lock, { mode: 'read', [READER]: 1 });
  await redis.rpush(line, WAITER);
  await redis.hset(tickets, WAITER, `${NOW} 4001 0 0`);
  const terms = [WAITER, '30000', '4001', '0', '0'];
  const args = { publish: 'PUBLISH', terms };
  const command = commandOf(scripts.lockRecheck, { ofTickets: [lock, line, tickets] }, args);

  const answers = new Set<string>();
  for (let i = 0; i < 30; i += 1) {
    answers.add(await runAt(redis, NOW, command));
  }

  expect([...answers]).toEqual(['?']);
});
