// A forced release that was carried out though nobody was told.

import { describe, expect, test } from 'vitest';
import { OutcomeUnknownError } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { faultWorlds, rejection, runs, take } from './world.js';
import { lockKinds } from '../support/kinds/kinds.js';
import { titled } from '../support/kinds/kind.js';

const open = faultWorlds('forced-unknown');

const exclusive = lockKinds.filter(({ what }) => what !== 'read lock');

describe.concurrent.each(titled(exclusive))('a forced release of a %s', (_, kind) => {
  test('whoever asked before it was known is never held beside the one forced out', async (context) => {
    const { proxy, name, client, up } = await open(context, { commandTimeoutMs: 400 });
    const lock = kind.get(client, name);
    const forcedOut = await take(lock);
    const { cut } = proxy.cutReplyAfter(runs(kind.scripts.forceRelease));
    const forcing = rejection(lock.forceRelease());
    proxy.refuse();
    await eventually(() => cut.length === 1);

    const heldBeside: boolean[] = [];
    client.on('acquired', () => heldBeside.push(forcedOut.isHeld));
    const acquiring = lock.acquire();
    const { error } = await forcing;
    await up();
    const next = await acquiring;

    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect([heldBeside, next.isHeld]).toEqual([[false], true]);
    await next.release();
  });
});
