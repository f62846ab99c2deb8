// A channel that lingers is kept for who comes meanwhile, and not given up under them.

import { expect, test } from 'vitest';
import { fixture } from '../../contract/fixture.js';
import { channelsUnder } from '../../support/redis.js';
import { skippingClock } from '../../support/skipping-clock.js';
import { allLasting } from '../../support/kinds/kinds.js';
import { objectKinds } from '../../support/kinds/objects.js';

/** A channel that nobody uses is given up well before this. */
const LINGERED_MS = 1_500;
/** Well below the re-check of 5 s: only a message wakes so soon. */
const PROMPTLY_MS = 2_500;

const { client, name, raw } = fixture('linger-waiters', allLasting);

test.each(objectKinds)(
  'who waits for a $id hears of it, though others left before',
  async (kind) => {
    const [object, clock] = [name(), skippingClock()];
    // Where locks are handed on, no channel lingers.
    const own = client({}, clock);
    const taken = await kind.take(client(), object);
    await Promise.allSettled([kind.wait(own, object, { waitMs: 100 })]);

    const waiting = kind.wait(own, object);
    // It has joined when a later question is answered.
    await kind.look(own, object);
    clock.skip(LINGERED_MS);
    await kind.look(own, object);
    const channels = await channelsUnder(object, raw);
    const freedAt = performance.now();
    await taken.free();
    await waiting;

    expect(performance.now() - freedAt).toBeLessThan(PROMPTLY_MS);
    expect(channels).toHaveLength(1);
    expect(channels[0]?.startsWith(kind.channel(object))).toBe(true);
    await taken.remove();
  },
);
