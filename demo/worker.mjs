// @ts-check
// One worker process with one worker, or several that share a client. Each passes the start gun,
// sprints, goes on at working speed until the stage says stop, and crosses the finish line. What a turn
// is, the act says. All they do, they report.
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createClient } from '../dist/index.js';
import { findAct } from './acts/index.mjs';
import { connectionName } from './connections.mjs';
import { Kit } from './kit.mjs';
import { scriptCalls } from './script-calls.mjs';

/**
 * @typedef {object} Casting what a worker is told when it starts
 * @property {string} act
 * @property {number} worker its number, from 1; of several in one process, the first one's
 * @property {number} together how many workers there are in one process
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
const kits = Array.from(
  { length: casting.together },
  (_, index) => new Kit({ ...casting, worker: casting.worker + index }, client, redis),
);
// Whatever befalls the client is told as that of the first worker here.
kits[0]?.hearClient();
// The stage is gone: nobody is left to work for.
process.once('disconnect', () => process.exit(1));
await kits[0]?.connected();
/** How many are in their sprint, and how many script calls there were before. */
const sprint = { under: kits.length, before: Number.NaN };
await Promise.all(kits.map(play));
await client.close();
await redis.quit();
process.removeAllListeners('disconnect');
process.disconnect();

/** What one worker does, from the start gun to the end. @param {Kit} kit */
async function play(kit) {
  kit.emit('ready', { clientId: client.id });
  kit.flush();
  await client.getCountDownLatch(`${act.id}:start-gun`).wait();
  kit.emit('go');
  if (Number.isNaN(sprint.before)) {
    sprint.before = scriptCalls();
  }

  const sprintEnd = performance.now() + casting.sprintMs;
  while (performance.now() < sprintEnd) {
    await act.turn(kit, 0);
  }
  sprint.under -= 1;
  // The last one tells those of all who are here.
  kit.emit('sprinted', { scripts: sprint.under === 0 ? scriptCalls() - sprint.before : 0 });

  while (!kit.stopped) {
    if (kit.takeAccident()) {
      await act.accident(kit);
    } else {
      await act.turn(kit, WORK_MS.min + Math.random() * (WORK_MS.max - WORK_MS.min));
      await sleep(1);
    }
  }

  const finishLine = client.getCountDownLatch(`${act.id}:finish-line`);
  kit.emit('arrived');
  await finishLine.countDown();
  await finishLine.wait();
  kit.emit('finished');
  kit.flush();
  await kit.leave;
}
