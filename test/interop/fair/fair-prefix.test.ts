// Fair locks under a name prefix: Redisson before 3.52 keeps two of its keys without it.

import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { redisUrl } from '../../support/redis.js';
import { startFairWaiter } from '../support/older-java.js';
import { interopWorlds } from '../support/world.js';

const open = interopWorlds('fair-prefix');

test('under a prefix Redisson 3.52 stands in the line of Node', async (context) => {
  const world = await open(context);
  const { name, raw } = world;
  const prefix = `${name}:`;
  const lock = world.open({ keyPrefix: prefix }).getFairLock('job');
  const hold = await lock.acquire();
  const { lines } = startFairWaiter(context, '3.52.0', { url: redisUrl(), prefix, name: 'job' });
  await eventually(async () => (await raw.llen(`redisson_lock_queue:{${prefix}job}`)) === 1, {
    withinMs: 20_000,
  });
  const behind = lock.acquire();
  await eventually(async () => (await raw.llen(`redisson_lock_queue:{${prefix}job}`)) === 2);

  await hold.release();
  const own = await behind;
  // Java has had it before, and has let it go.
  expect((await lines.next()).value).toBe('waiting');
  expect((await lines.next()).value).toBe('locked');
  await own.release();
});

test('Redisson 3.51 forgets the prefix of the line, so that Node overtakes it', async (context) => {
  const world = await open(context);
  const { name, raw } = world;
  const prefix = `${name}:`;
  // Its line has the bare name.
  const bare = `${name}-bare`;
  const [queue, timeouts] = [`redisson_lock_queue:{${bare}}`, `redisson_lock_timeout:{${bare}}`];
  context.onTestFinished(async () => {
    // Java may have got the lock before it was killed.
    await raw.del(queue, timeouts, `${prefix}${bare}`);
  });
  const lock = world.open({ keyPrefix: prefix }).getFairLock(bare);
  const hold = await lock.acquire();
  const { lines } = startFairWaiter(context, '3.51.0', { url: redisUrl(), prefix, name: bare });
  await eventually(async () => (await raw.llen(queue)) === 1, { withinMs: 20_000 });
  expect((await lines.next()).value).toBe('waiting');

  expect(await raw.llen(`redisson_lock_queue:{${prefix}${bare}}`)).toBe(0);
  const behind = lock.acquire();
  await eventually(async () => (await raw.llen(`redisson_lock_queue:{${prefix}${bare}}`)) === 1);
  await hold.release();
  const own = await behind;
  expect(own.isHeld).toBe(true);
  expect(await raw.llen(queue)).toBe(1);
  await own.release();
});
