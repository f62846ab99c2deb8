// Holders that are asked to yield, on a real server: between clients, each kind of lock that is handed on.

import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createClient, type Client, type Hold, type HoldEvent } from '../../../src/index.js';
import { ear, kinds, listens } from '../../support/contended-stage.js';
import { eventually } from '../../support/eventually.js';
import { randomName, rawClient, redisUrl } from '../../support/redis.js';

const raw = rawClient();

function open(): Client {
  const client = createClient({ redis: redisUrl() });
  onTestFinished(async () => await client.close());
  return client;
}

const release = async (hold: Promise<Hold>): Promise<void> => await (await hold).release();

test.each(kinds)(
  'a long task releases between two steps when another client asks ($kind)',
  async ({ of }) => {
    const name = randomName('yield');
    const [holder, other] = [open(), open()];
    const hold = await of(holder, name).acquire();
    const asked = ear();
    hold.onContended(asked.listener);
    await eventually(async () => await listens(raw, holder));
    expect(asked.calls).toBe(0);

    const waiting = of(other, name).acquire();
    let steps = 0;
    while (asked.calls === 0) {
      steps += 1;
      await turn();
    }
    await hold.release();

    expect(steps).toBeGreaterThan(0);
    await (await waiting).release();
  },
);

test.each(kinds)(
  'a holder hears once, and its event too, however many ask and leave ($kind)',
  async ({ of, kind, lengthOf }) => {
    const name = randomName('once');
    const [holder, second, third] = [open(), open(), open()];
    const events: HoldEvent[] = [];
    holder.on('contended', (event) => events.push(event));
    const hold = await of(holder, name).tryAcquire();
    const heard = ear();
    hold?.onContended(heard.listener);
    await eventually(async () => await listens(raw, holder));

    const leaving = new AbortController();
    const left = of(second, name).acquire({ signal: leaving.signal });
    await eventually(() => heard.calls === 1);
    const waiting = of(third, name).acquire();
    await eventually(async () => (await lengthOf(raw, name)) === 2);
    leaving.abort(new Error('enough'));
    await expect(left).rejects.toThrow('enough');
    const again = of(second, name).acquire();
    await eventually(async () => (await lengthOf(raw, name)) === 2);

    expect(heard.calls).toBe(1);
    const { holderId } = hold!;
    expect(events).toEqual([{ resource: name, kind, holderId }]);
    await hold?.release();
    await (await waiting).release();
    await (await again).release();
  },
);

test.each(kinds)(
  'a waiter that came before anybody listened is heard of with its next heartbeat ($kind)',
  async ({ of, lengthOf }) => {
    const name = randomName('late');
    const [holder, other] = [open(), open()];
    const hold = await of(holder, name).acquire();
    const waiting = of(other, name).acquire();
    await eventually(async () => (await lengthOf(raw, name)) === 1);
    const heard = ear();

    hold.onContended(heard.listener);

    await eventually(() => heard.calls === 1);
    await hold.release();
    await (await waiting).release();
  },
);

test.each(kinds)(
  'a hold that was handed on hears of those behind it, and one with nobody behind it does not ($kind)',
  async ({ of, lengthOf }) => {
    const name = randomName('behind');
    const [first, second, third] = [open(), open(), open()];
    const hold = await of(first, name).acquire();
    const two = of(second, name).acquire();
    await eventually(async () => (await lengthOf(raw, name)) === 1);
    const three = of(third, name).acquire();
    await eventually(async () => (await lengthOf(raw, name)) === 2);

    await hold.release();
    const [heardOfThree, heardOfNobody] = [ear(), ear()];
    const handedTwo = await two;
    handedTwo.onContended(heardOfThree.listener);
    await eventually(() => heardOfThree.calls === 1);
    await handedTwo.release();
    const handedThree = await three;
    handedThree.onContended(heardOfNobody.listener);
    const later = ear();
    await turn();
    await turn();

    expect(heardOfNobody.calls).toBe(0);
    const four = of(first, name).acquire();
    await eventually(() => heardOfNobody.calls === 1);
    handedThree.onContended(later.listener);
    expect(later.calls).toBe(0);
    await turn();
    expect(later.calls).toBe(1);
    await handedThree.release();
    await (await four).release();
  },
);

test.each(kinds)(
  'the waiters of its own client do not ask a holder to yield ($kind)',
  async ({ of, lengthOf }) => {
    const name = randomName('own');
    const [holder, other] = [open(), open()];
    const hold = await of(holder, name).tryAcquire();
    const heard = ear();
    hold?.onContended(heard.listener);
    await eventually(async () => await listens(raw, holder));
    const own = of(holder, name).acquire();
    await eventually(async () => (await lengthOf(raw, name)) === 1);
    await turn();
    expect(heard.calls).toBe(0);

    const waiting = of(other, name).acquire();

    await eventually(() => heard.calls === 1);
    await hold?.release();
    await (await own).release();
    await (await waiting).release();
  },
);

test.each(kinds)(
  'a listener that was taken back, and a hold that is over, hear nothing ($kind)',
  async ({ of }) => {
    const name = randomName('off');
    const [holder, other] = [open(), open()];
    const hold = await of(holder, name).acquire();
    const [off, on, late] = [ear(), ear(), ear()];
    const takeBack = hold.onContended(off.listener);
    hold.onContended(on.listener);
    await eventually(async () => await listens(raw, holder));
    takeBack();

    const waiting = of(other, name).acquire();
    await eventually(() => on.calls === 1);
    const releasing = hold.release();
    hold.onContended(late.listener);
    await releasing;
    hold.onContended(late.listener);
    await (await waiting).release();
    await turn();

    expect([off.calls, on.calls, late.calls]).toEqual([0, 1, 0]);
  },
);

test.each(kinds)(
  'each hold of a holder hears it, and its event comes once ($kind)',
  async ({ of, kind }) => {
    const name = randomName('reentry');
    const [holder, other] = [open(), open()];
    const events: HoldEvent[] = [];
    holder.on('contended', (event) => events.push(event));
    const outer = await of(holder, name).acquire();
    const inner = await of(holder, name).acquire({ within: outer });
    const [heardOutside, heardInside, late] = [ear(), ear(), ear()];
    outer.onContended(heardOutside.listener);
    inner.onContended(heardInside.listener);
    await eventually(async () => await listens(raw, holder));

    const waiting = of(other, name).acquire();

    await eventually(() => heardOutside.calls === 1 && heardInside.calls === 1);
    await inner.release();
    const again = await of(holder, name).acquire({ within: outer });
    again.onContended(late.listener);
    await turn();
    expect(late.calls).toBe(1);
    expect(events).toEqual([{ resource: name, kind, holderId: outer.holderId }]);
    await again.release();
    await outer.release();
    await (await waiting).release();
  },
);

test.each(kinds)('each hold of a local run hears it anew ($kind)', async ({ of, lengthOf }) => {
  const name = randomName('run');
  const [holder, before, other] = [open(), open(), open()];
  const events: string[] = [];
  holder.on('contended', ({ holderId }) => events.push(holderId));
  // A run needs a grant in the line.
  const gate = await of(before, name).acquire();
  const first = of(holder, name).acquire();
  await eventually(async () => (await lengthOf(raw, name)) === 1);
  const next = of(holder, name).acquire();
  await turn();
  await gate.release();
  const hold = await first;
  const [heard, anew] = [ear(), ear()];
  hold.onContended(heard.listener);
  const waiting = of(other, name).acquire();
  await eventually(() => heard.calls === 1);

  await hold.release();
  const second = await Promise.race([next, waiting]);
  second.onContended(anew.listener);
  await turn();

  // The run may have ended before, since the message took too long: then nobody is behind it.
  if (second.holderId === hold.holderId) {
    expect(anew.calls).toBe(1);
    expect(events).toEqual([hold.holderId, hold.holderId]);
  }
  expect(heard.calls).toBe(1);
  await Promise.all([next, waiting].map(release));
});
