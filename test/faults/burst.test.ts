// More calls at once than a busy server answers soon: it answers one after the other all the while.

import { describe, expect, test } from 'vitest';
import { faultWorlds, sendsCommands } from './world.js';

const open = faultWorlds('burst');

describe.concurrent('a server that is busy, and answers all the while', () => {
  test('is not taken for one that is silent', async (context) => {
    const { proxy, name, client } = await open(context, { leaseMs: 3_000 });
    const before = proxy.everyConnection().filter(sendsCommands).length;

    // The last of those that are sent at once is answered after twice the limit of 500 ms.
    proxy.pace(40);
    const reads = Array.from({ length: 80 }, (_, i) => client.getLock(`${name}-${i}`).isLocked());
    const answers = await Promise.all(reads);

    expect(answers).not.toContain(true);
    expect(proxy.everyConnection().filter(sendsCommands)).toHaveLength(before);
  });
});
