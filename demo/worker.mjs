// @ts-check
// One worker process. It passes the start gun, sprints, goes on at working speed until the stage says stop, and
// crosses the finish line. What a turn is, the act says. All it does, it reports.
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createClient } from '../dist/index.js';
import { connectionName } from './accidents.mjs';
import { findAct } from './acts/index.mjs';

import { latchCall } from './events.mjs';
import { Kit } from './kit.mjs';

/**
 * @typedef {object} Casting what a worker is told when it starts
 * @property {string} act
 * @property {number} worker its number, from 1
 * @property {string} url
 * @property {string} keyPrefix
 * @property {number} leaseMs
 * @property {number} sprintMs
 * @property {string} sabotage
 */

/** Work while holding after the sprint, long enough to be seen on the timeline. */
const WORK_MS = { min: 12, max: 36 };

const casting = /** @type {Casting} */ (JSON.parse(process.argv[2] ?? '{}'));
const act = findAct(casting.act);
const client = createClient({
  // Named, so that the stage can tell whose connections it cuts.
  redis: new Redis(casting.url, { lazyConnect: true, connectionName: connectionName(casting) }),
  keyPrefix: casting.keyPrefix,
  leaseMs: casting.leaseMs,
});
const redis = new Redis(casting.url);
const kit = new Kit(casting, client, redis);
// The stage is gone: nobody is left to work for.
process.once('disconnect', () => process.exit(1));
await kit.connected();
await play();
await client.close();
await redis.quit();
process.removeAllListeners('disconnect');
process.disconnect();

/** From the start gun to the end. */
async function play() {
  const gun = client.getCountDownLatch(`${act.id}:start-gun`);
  kit.emit('ready', { clientId: client.id });
  kit.flush();
  await kit.call(latchCall('start gun', 'wait'), async () => await gun.wait());

  const sprintEnd = performance.now() + casting.sprintMs;
  while (performance.now() < sprintEnd) {
    await act.turn(kit, 0);
  }
  kit.emit('sprinted');

  while (!kit.stopped) {
    if (kit.takeAccident()) {
      await act.accident(kit);
    } else {
      await act.turn(kit, WORK_MS.min + Math.random() * (WORK_MS.max - WORK_MS.min));
      await sleep(1);
    }
  }

  const line = client.getCountDownLatch(`${act.id}:finish-line`);
  await kit.call(latchCall('finish line', 'count down'), async () => await line.countDown());
  await kit.call(latchCall('finish line', 'wait'), async () => await line.wait());
  kit.emit('finished');
  kit.flush();
  await kit.leave;
}
