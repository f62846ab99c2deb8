import { expect, test } from 'vitest';
import { createClient } from '../../src/index.js';
import { rawClient } from '../support/redis.js';
import { ownServer } from '../support/server.js';
import { mutualExclusionSuite } from './mutual-exclusion.js';
import { exclusiveKinds } from '../support/kinds/kinds.js';

for (const kind of exclusiveKinds) {
  mutualExclusionSuite(kind);
}

/** How many scripts a server has run by EVAL or EVALSHA. */
function scriptCalls(info: string): number {
  const calls = [...info.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)];
  return calls.reduce((sum, [, count]) => sum + Number(count), 0);
}

test('trying costs one command, contended or not, and so does releasing', async () => {
  const server = await ownServer();
  const raw = rawClient(server.url);
  const [first, second] = [
    createClient({ redis: server.url }),
    createClient({ redis: server.url }),
  ];
  const costs: Record<string, number[]> = {};
  const counted = async <T>(cost: number[], work: () => Promise<T>): Promise<T> => {
    const before = scriptCalls(await raw.info('commandstats'));
    const result = await work();
    cost.push(scriptCalls(await raw.info('commandstats')) - before);
    return result;
  };

  for (const kind of exclusiveKinds) {
    const cost: number[] = [];
    const mine = await kind.create(first, kind.what);
    const theirs = await kind.create(second, kind.what);
    const grant = await counted(cost, async () => await mine.acquire());
    await counted(cost, async () => await theirs.tryAcquire());
    await counted(cost, async () => await theirs.tryAcquire());
    await counted(cost, async () => {
      await grant.release();
    });
    costs[kind.what] = cost;
  }
  await Promise.all([first.close(), second.close()]);

  expect(costs).toEqual(
    Object.fromEntries(exclusiveKinds.map((kind) => [kind.what, [1, 1, 1, 1]])),
  );
});
