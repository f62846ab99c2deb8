// A connection that is ready shows that its server is there: the others to it do not wait out their pauses.

import { expect, test } from 'vitest';
import { systemEnvironment } from '../../src/core/connection/environment.js';
import { OneServer } from '../../src/core/connection/one-server.js';
import { eventually } from '../support/eventually.js';
import { fakeClock } from '../support/fake-clock.js';
import { linkTo } from '../support/link.js';
import { startProxy } from '../support/proxy.js';
import { redisUrl } from '../support/redis.js';

test('a connection in its pause is made as soon as another one to its server is ready', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const oneServer = new OneServer('', () => {});
  const first = linkTo(proxy.url, { oneServer });
  // No pause of this one ends by itself.
  const clock = fakeClock();
  const other = linkTo(proxy.url, { oneServer }, { ...systemEnvironment(), clock });
  for (const link of [first, other]) {
    link.open();
    await eventually(() => link.isUp);
  }

  proxy.refuse();
  proxy.cutAll();
  await eventually(() => !first.isUp && !other.isUp);
  expect(clock.pending).toBe(1);
  await proxy.accept();
  await eventually(() => first.isUp);

  await eventually(() => other.isUp);
});
