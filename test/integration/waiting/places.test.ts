// The place of a client among others does not depend on how long each of its waiters waits.

import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { CoordinationError, createClient } from '../../../src/index.js';
import { lockKinds } from '../../support/kinds/kinds.js';
import { randomName } from '../../support/redis.js';
import { ownServer } from '../../support/server.js';

const OTHERS = 3;
const HOLD_MS = 20;
/** A round of the others takes 60 ms and more: some wait for longer than that, and some do not. */
const WAITS_MS = [150, 30];
const EVERY_MS = 10;
const WATCH_MS = 1_000;
/** The client gets in about once a round of the others, and open turns come between. */
const PASSED_MAX = 4 * OTHERS;
const server = await ownServer();

const cells = lockKinds.flatMap((kind) => {
  const same = { what: kind.what, terms: 'the same lease', kind, leases: [undefined] };
  return [same, { ...same, terms: 'different leases', leases: [undefined, 20_000] }];
});

test.concurrent.for(cells)(
  'a steady flow of short waits for a $what with $terms gets its turns beside others that wait for long',
  async ({ kind, leases }) => {
    const name = randomName('places');
    await using client = createClient({ redis: server.url });
    const clients = Array.from({ length: OTHERS }, () => createClient({ redis: server.url }));
    const object = kind.get(client, name);
    const grants: string[] = [];
    await Promise.all(
      [client, ...clients].map(async (each) => await kind.get(each, name).isLocked()),
    );
    const until = performance.now() + WATCH_MS;
    const others = clients.map(async (other) => {
      while (performance.now() < until) {
        await kind.rival(other, name).using(async () => {
          grants.push('other');
          await delay(HOLD_MS);
        });
      }
    });
    const flow: Promise<unknown>[] = [];
    while (performance.now() < until) {
      const leaseMs = leases[flow.length % leases.length];
      const terms = { waitMs: WAITS_MS[flow.length % WAITS_MS.length]! };
      const asked = object.using(
        leaseMs === undefined ? terms : { ...terms, leaseMs },
        async () => {
          grants.push('own');
          await delay(1);
        },
      );
      flow.push(asked.catch((error: unknown) => expect(error).toBeInstanceOf(CoordinationError)));
      await delay(EVERY_MS);
    }
    await Promise.all([...others, ...flow]);
    await Promise.all(clients.map(async (other) => await other.close()));

    const passed = grants
      .join(' ')
      .split('own')
      .map((part) => part.split('other').length - 1);
    expect(Math.max(...passed)).toBeLessThanOrEqual(PASSED_MAX);
  },
);
