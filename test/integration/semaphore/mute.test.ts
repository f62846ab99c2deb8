// A user without rights to the channels: the server refuses the message of a call that is done, and
// a copy of the call is not made again.

import { afterAll, expect, test } from 'vitest';
import type { Semaphore } from '../../../src/index.js';
import { startProxy } from '../../support/proxy.js';
import { rawClient } from '../../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../../support/residue.js';
import { testScope } from '../../support/scope.js';
import { ownServer } from '../../support/server.js';
import { lastScript } from './world.js';

const scope = testScope('sem-mute');
const server = await ownServer();
const raw = rawClient(server.url);
await raw.call('ACL', 'SETUSER', 'mute', 'reset', 'on', '>secret', '~*', '+@all', 'resetchannels');

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_requests:/], client: raw });
  await expectNoChannels(scope.prefix, { client: raw });
});

const changes: [string, (semaphore: Semaphore) => Promise<unknown>, string][] = [
  ['a release', async (semaphore) => await semaphore.release(), '4'],
  ['a release of permits', async (semaphore) => await (await semaphore.acquire(2)).release(), '3'],
  ['an addition', async (semaphore) => await semaphore.addPermits(5), '8'],
];

test.each(changes)(
  '%s that is refused its message is done, and not made again',
  async (_, change, left) => {
    const direct = scope.client({ redis: server.url }).getSemaphore(scope.name());
    await direct.trySetPermits(3);
    const proxy = await startProxy({ target: server.url });
    const redis = proxy.url.replace('//', '//mute:secret@');
    const semaphore = scope.client({ redis }).getSemaphore(direct.name);

    await change(semaphore);
    const before = await raw.get(direct.name);
    await raw.call(...lastScript(proxy));

    expect([before, await raw.get(direct.name)]).toEqual([left, left]);
    await direct.delete();
  },
);

test('a set that is refused its message is told as done when it comes again', async () => {
  const proxy = await startProxy({ target: server.url });
  const redis = proxy.url.replace('//', '//mute:secret@');
  const semaphore = scope.client({ redis }).getSemaphore(scope.name());

  const first = await semaphore.trySetPermits(3);
  const again = await raw.call(...lastScript(proxy));

  expect([first, again]).toEqual([true, '1']);
  await semaphore.delete();
});
