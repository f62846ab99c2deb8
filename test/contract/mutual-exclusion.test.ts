import { expect, test } from 'vitest';
import { createClient } from '../../src/index.js';
import { rawClient } from '../support/redis.js';
import { ownServer } from '../support/server.js';
import { exclusiveFaces } from './faces.js';
import { mutualExclusionSuite } from './mutual-exclusion.js';

for (const face of exclusiveFaces) {
  mutualExclusionSuite(face);
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

  for (const face of exclusiveFaces) {
    const cost: number[] = [];
    const mine = await face.create(first, face.name);
    const theirs = await face.create(second, face.name);
    const grant = await counted(cost, async () => await mine.acquire());
    await counted(cost, async () => await theirs.tryAcquire());
    await counted(cost, async () => await theirs.tryAcquire());
    await counted(cost, async () => {
      await grant.release();
    });
    costs[face.name] = cost;
  }
  await Promise.all([first.close(), second.close()]);

  expect(costs).toEqual(
    Object.fromEntries(exclusiveFaces.map((face) => [face.name, [1, 1, 1, 1]])),
  );
});
