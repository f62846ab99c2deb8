// @ts-check
// Does one thing and then nothing: the process ends by itself as soon as nothing keeps it alive.
//
//   node exit.mjs URL NAME WHAT

import { setImmediate as turn } from 'node:timers/promises';
import { createClient } from '../../../dist/index.js';

const [, , redis = '', name = '', what = ''] = process.argv;
const before = process.getActiveResourcesInfo();
const options = { redis, leaseMs: 300, commandTimeoutMs: 1_000 };
/** A hold of 300 ms may be lost while the machine is busy. */
const lasting = { redis };

/** What keeps the process alive beyond what did at its start. */
function added() {
  const rest = [...before];
  return process.getActiveResourcesInfo().filter((resource) => {
    const at = rest.indexOf(resource);
    rest.splice(at, at === -1 ? 0 : 1);
    return at === -1;
  });
}

/** @param {unknown} error */
const nameOf = (error) => /** @type {Error} */ (error).name;

/** @type {Record<string, () => unknown>} */
const acts = {
  created() {
    createClient(options);
  },
  async released() {
    const hold = await createClient(lasting).getLock(name).acquire();
    await hold.release();
  },
  async waited() {
    const [holder, waiter] = [createClient(lasting), createClient(lasting)];
    const hold = await holder.getLock(name).acquire();
    const answer = await waiter.getLock(name).tryAcquire({ waitMs: 100 });
    const next = waiter.getLock(name).acquire();
    await hold.release();
    await (await next).release();
    return answer === null ? 'contended' : 'granted';
  },
  async opened() {
    const latch = createClient(lasting).getCountDownLatch(name);
    await latch.trySetCount(1);
    const wait = latch.wait();
    await latch.countDown();
    return await wait;
  },
  async aborted() {
    const [holder, waiter] = [createClient(lasting), createClient(lasting)];
    const hold = await holder.getLock(name).acquire();
    const signal = AbortSignal.timeout(100);
    const error = await waiter.getLock(name).acquire({ signal }).catch(nameOf);
    await hold.release();
    return error;
  },
  async closed() {
    const client = createClient(options);
    const other = createClient(options);
    const hold = await other.getLock(name).acquire();
    await client.getLock(name).tryAcquire({ waitMs: 100 });
    await client.getLock(`${name}:other`).acquire();
    await client.close();
    await other.close();
    // Destroyed sockets report their end within a few turns, and the driver waits for that for 1 ms; a timer
    // of ours would stay.
    for (let turns = 0; turns < 2_000 && added().length > 0; turns += 1) {
      await turn();
    }
    return [hold.isHeld, ...added()];
  },
  async refused() {
    return await createClient(options).getLock(name).tryAcquire().catch(nameOf);
  },
  async holding() {
    await createClient(options).getLock(name).acquire();
  },
  async holdingFixed() {
    await createClient(options).getLock(name).acquire({ leaseMs: 800 });
  },
  waiting() {
    const lock = createClient(options).getLock(name);
    void lock.acquire().then(async (hold) => await hold.release());
  },
  latched() {
    void createClient(options)
      .getCountDownLatch(name)
      .wait()
      .then((result) => process.send?.({ type: 'opened', result }));
  },
};

const result = await acts[what]?.();
process.send?.({ type: 'did', result: result ?? null });
