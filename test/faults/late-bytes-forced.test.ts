// Bytes around a forced release that arrive late.

import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import {
  expectHolder,
  faultWorlds,
  keepUnderWay,
  rejection,
  runs,
  sendsCommands,
  take,
} from './world.js';
import { lockKinds } from '../support/kinds/kinds.js';
import { titled } from '../support/kinds/kind.js';

const open = faultWorlds('late-forced');

describe.concurrent.each(titled(lockKinds))('a forced release of a %s', (_, kind) => {
  test('a forced release spares the owner who came after it', async (context) => {
    const { proxy, name, client, other } = await open(context);
    await take(kind.get(other, name));
    const late = keepUnderWay(proxy, kind.scripts.forceRelease);

    const forcing = kind.get(client, name).forceRelease();
    await late.sent();
    proxy.cutAll(sendsCommands);
    expect(await forcing).toBe(true);
    const taken = await take(kind.rival(other, name));
    await late.deliver();

    await expectHolder(name, taken);
  });

  test('an acquisition whose hold was ended by force since leaves no ghost', async (context) => {
    const { proxy, name, client, other } = await open(context);
    const late = keepUnderWay(proxy, kind.scripts.acquire);

    const acquiring = take(kind.get(client, name));
    await late.sent();
    proxy.cutAll(sendsCommands);
    const hold = await acquiring;
    expect(await kind.get(other, name).forceRelease()).toBe(true);
    await late.deliver();

    expect(await kind.isFree(name)).toBe(true);
    await rejection(hold.extend(30_000));
    expect(hold.state).toBe('lost');
  });

  test('a copy of an acquisition that was granted and ended by force asks as another holder', async (context) => {
    const { proxy, name, client, other, up } = await open(context);
    const { cut } = proxy.cutReplyAfter(runs(kind.scripts.acquire));
    proxy.refuse();

    const acquiring = take(kind.get(client, name));
    await eventually(() => cut.length === 1);
    const [forcedOut] = await kind.inside(name);
    expect(await kind.get(other, name).forceRelease()).toBe(true);
    await up();
    const hold = await acquiring;

    expect(hold.holderId).not.toBe(forcedOut);
    await expectHolder(name, hold);
    await hold.release();
    expect(await kind.isFree(name)).toBe(true);
  });
});
