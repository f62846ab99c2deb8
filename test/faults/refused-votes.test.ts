// A release of several names on the servers of a quorum, of which one refuses a part.

import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { FOREIGNER } from '../support/kinds/kind.js';
import { quorumOfFile } from '../support/quorum.js';

const stage = await quorumOfFile('refused-votes');

test('a name that one server refuses to release is released there when the right is back', async ({
  onTestFinished,
}) => {
  const raw = stage.raw(0);
  await raw.call('ACL', 'SETUSER', 'user', 'on', '>x', '~*', '&*', '+@all');
  onTestFinished(async () => void (await raw.call('ACL', 'DELUSER', 'user')));
  const [first = '', ...others] = stage.urls;
  const servers = [first.replace('//', '//user:x@'), ...others];
  const client = await stage.connected({ servers });
  const several = client.getMultiLock([stage.name(), stage.name()]);
  const [one = '', two = ''] = several.names;
  const hold = await several.acquire();
  await eventually(async () => (await raw.exists(one, two)) === 2);
  // Somebody else has the first: only the release of the second needs the right. It lasts until it is released.
  await raw.multi().del(one).hset(one, FOREIGNER, 1).persist(two).exec();
  await raw.call('ACL', 'SETUSER', 'user', '-hdel');

  await hold.release();
  const kept = await raw.exists(two);
  await raw.call('ACL', 'SETUSER', 'user', '+hdel');
  await eventually(async () => (await raw.exists(two)) === 0);

  expect(kept).toBe(1);
  await raw.del(one);
  await client.close();
  await stage.expectNothingLeft();
});
