// A promise of ours goes on in the context of who awaits it, whoever else uses the same object.

import { expect, test } from 'vitest';
import { fixture } from '../../contract/fixture.js';
import { keysUnder } from '../../support/redis.js';
import { request } from './contexts.js';
import { allKinds, allLasting, leasedKinds } from '../../support/kinds/kinds.js';
import { objectKinds } from '../../support/kinds/objects.js';

const { client, name, raw } = fixture('promises', allLasting);

const REQUESTS = Array.from({ length: 5 }, (_, i) => `request ${i}`);

/** Serves requests side by side; `check` fails where a request is taken for another one. */
async function serve(task: (check: () => void) => Promise<void>): Promise<void> {
  await Promise.all(
    REQUESTS.map(async (id) => {
      await request.run(id, async () => {
        await task(() => expect(request.getStore()).toBe(id));
      });
    }),
  );
}

test.each(allKinds)('a request that waits for a $what goes on as that request', async (kind) => {
  const mine = client();
  const object = await kind.create(mine, name());

  await serve(async (check) => {
    const grant = await object.acquire();
    check();
    await grant.release();
    check();
    await object.using(check);
    check();
    const tried = await object.tryAcquire({ waitMs: 20_000 });
    check();
    await tried?.[Symbol.asyncDispose]();
    check();
    await object.tryAcquire({ waitMs: 20_000 }).then(async (late) => {
      check();
      await late?.release();
    });
    check();
    const controller = new AbortController();
    const blocker = await object.acquire();
    const ended = object.acquire({ signal: controller.signal }).catch(check);
    request.run('who aborts', () => controller.abort());
    await ended;
    check();
    await blocker.release();
  });
});

test('extensions, re-entries and tasks in scopes go on as the request that asked for them', async () => {
  const mine = client();

  await Promise.all(
    leasedKinds.map(async (kind) => {
      const object = await kind.create(mine, name());
      await serve(async (check) => {
        await object.using(async (grant) => {
          check();
          await grant.extend(60_000);
          check();
          await object.tryAcquire().then(async (inner) => {
            check();
            await inner?.release();
          });
          check();
        });
        check();
      });
    }),
  );
});

test.each(objectKinds)('every call on a $id goes on as the request that made it', async (kind) => {
  const mine = client();
  const object = name();
  let settled = 0;

  const calls = kind.calls(mine, object).map(async (call, i) => {
    const check = (): void => {
      settled += 1;
      expect(request.getStore()).toBe(`call ${i}`);
    };
    await request.run(`call ${i}`, async () => {
      await call().then(check, check);
      check();
    });
  });
  await kind.look(mine, object);
  // Those that wait for one another are ended.
  await request.run('who closes', async () => await mine.close());
  await Promise.all(calls);

  expect(settled).toBe(2 * calls.length);
  await raw.del(...(await keysUnder(object, raw)), object);
});

test('waits for a latch go on as the requests that wait, whoever counts it down', async () => {
  const [mine, other] = [client(), client()];
  const [latch, far] = [name(), name()].map((one) => mine.getCountDownLatch(one));
  await latch?.trySetCount(1);
  await far?.trySetCount(1);

  const waiting = serve(async (check) => {
    await Promise.all([latch?.wait(), far?.wait()]);
    check();
  });
  await request.run('who counts', async () => await latch?.countDown());
  await other.getCountDownLatch(far?.name ?? '').countDown();

  await waiting;
});
