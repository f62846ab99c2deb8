// @ts-check
// The read-write lock: two writers write a record in two halves, four readers read it without ever
// leaving the lock alone. A reader is killed; later a writer becomes a reader, and lets all in.
import { killWhileHolding, leadToAccident } from '../accidents.mjs';
import { accidentOf, killed } from '../checks/accidents.mjs';
import { isGranted } from '../checks/finding.mjs';
import { neverTorn } from '../checks/guarded.mjs';
import {
  downgraded,
  downgradeOf,
  nobodyPassesWriters,
  readersOverlap,
  writersAlone,
  writersGetIn,
} from '../checks/sharing.mjs';
import { ofType } from '../events.mjs';
import { between } from '../timeline/lens.mjs';
import { killedNote, recoveryNote } from '../timeline/notes.mjs';

/** @typedef {import('../kit.mjs').Kit} Kit */
/** @typedef {import('../stage.mjs').Stage} Stage */

const NAME = 'record';
const READERS = 4;
const VICTIM = 3;
/** Becomes a reader. */
const WRITER = 5;
/** Has no part in that, so that nobody but readers waits. */
const OTHER_WRITER = 6;

/** Who crosses the finish line. */
const LEFT = { without: [VICTIM] };

/** @param {number} worker */
const isReader = (worker) => worker <= READERS;

/** @param {Kit} kit @returns {[left: string, right: string]} */
const halves = ({ casting: { keyPrefix } }) => [`${keyPrefix}left`, `${keyPrefix}right`];

/** @param {Kit} kit */
const sides = (kit) => kit.client.getReadWriteLock(NAME);

/** @param {Kit} kit */
const takeRead = (kit) => kit.acquire(() => sides(kit).readLock.acquire(), { mode: 'read' });

/** @param {Kit} kit */
const takeWrite = (kit) => kit.acquire(() => sides(kit).writeLock.acquire(), { mode: 'write' });

/** @param {Kit} kit @param {number} workMs */
async function read(kit, workMs) {
  const [left, right] = halves(kit);
  const hold = await takeRead(kit);
  const before = await kit.redis.get(left);
  await kit.work(workMs);
  const after = await kit.redis.get(right);
  kit.emit('read', { torn: before !== after });
  await kit.release(hold);
}

/** @param {Kit} kit @param {number} workMs */
async function write(kit, workMs) {
  const [left, right] = halves(kit);
  const hold = await takeWrite(kit);
  const value = `${kit.casting.worker} ${performance.now()}`;
  await kit.redis.set(left, value);
  await kit.work(workMs);
  await kit.redis.set(right, value);
  await kit.release(hold);
}

/** Writes, and becomes a reader before it lets go. @param {Kit} kit */
async function downgrade(kit) {
  const hold = await takeWrite(kit);
  await kit.atMercy(hold);
  await kit.cued('downgrade');
  const reading = await kit.reenter(hold, () => sides(kit).readLock.acquire());
  kit.emit('downgraded');
  await hold.release();
  kit.flush();
  await kit.cued('let go');
  await kit.release(reading);
}

/** @type {import('./index.mjs').Act} */
export const readWriteLock = {
  id: 'read-write-lock',
  title: 'Read-write lock',
  story:
    'Four processes read a record all the time, two write it in two halves. One reader is killed ' +
    'while the others read; later a writer keeps reading when it stops writing.',
  resource: 'the record',
  workers: 6,
  capacity: Number.POSITIVE_INFINITY,
  recovered: 'the next writer got in',
  role: (worker) => (isReader(worker) ? 'reader' : 'writer'),

  turn: (kit, workMs) => (isReader(kit.casting.worker) ? read(kit, workMs) : write(kit, workMs)),

  async accident(kit) {
    if (!isReader(kit.casting.worker)) {
      await downgrade(kit);
      return;
    }
    await kit.atMercy(await takeRead(kit));
    await kit.leave; // never comes: SIGKILL does
  },

  look: ({ redis, keyPrefix }) => redis.zrange(`redlatch_writers:{${keyPrefix}${NAME}}`, '0', '-1'),

  async orchestrate(stage) {
    await killWhileHolding(stage, VICTIM);
    await stage.drawFinishLine(LEFT);
    await watchDowngrade(stage);
    await stage.crossFinishLine(LEFT);
  },

  check: (stage) => [
    writersAlone(stage.turns),
    readersOverlap(stage.turns, READERS),
    neverTorn(stage.events),
    nobodyPassesWriters(stage),
    writersGetIn(stage.turns, stage.leaseMs),
    downgraded(stage),
    ...killed(stage),
  ],

  recovery({ events, turns }) {
    const at = accidentOf(events)?.at;
    return turns
      .filter(isGranted)
      .find(({ mode, held }) => mode === 'write' && at !== undefined && held > at);
  },
  notes: (stage) => [
    ...killedNote(stage, 'while it reads. Others read on, but no writer can get in.'),
    ...recoveryNote(
      stage,
      ({ name, afterMs }) =>
        `Its lease runs out by itself: ${afterMs} ms after the shot ${name} writes.`,
    ),
    ...downgradeNote(stage),
  ],
  lens(stage) {
    const down = downgradeOf(stage.turns);
    return between(down?.at ?? stage.gunAt, down?.writer.end ?? stage.gunAt, {
      marginMs: 25,
      caption: 'the downgrade: a writer keeps reading, and all who waited read with it at once',
    });
  },
};

/** A writer becomes a reader while all others wait to read. @param {Stage} stage */
async function watchDowngrade(stage) {
  stage.troupe.cue('stop', OTHER_WRITER);
  await stage.until('the other writer to be done', () => stage.has('arrived', OTHER_WRITER));
  await leadToAccident(stage, WRITER);
  const readers = stage.workers.filter((worker) => isReader(worker) && worker !== VICTIM);
  await stage.until('all readers to wait', () =>
    readers.every(
      (worker) => stage.events.findLast((event) => event.worker === worker)?.type === 'asked',
    ),
  );
  stage.announce(`worker ${WRITER} writes, ${readers.length} readers wait: it becomes a reader`);
  stage.troupe.cue('downgrade', WRITER);
  await stage.until('the writer to become a reader', () => stage.has('downgraded', WRITER));
  const [{ at } = { at: 0n }] = ofType(stage.events, 'downgraded', WRITER);
  await stage.until('all readers to read', () =>
    readers.every((worker) => stage.has('held', worker, at)),
  );
  stage.troupe.cue('let go', WRITER);
}

/** @param {Stage} stage */
function downgradeNote(stage) {
  const down = downgradeOf(stage.turns);
  return down === undefined
    ? []
    : [
        {
          at: down.at,
          worker: down.writer.worker,
          said: `Writer ${down.writer.worker} stops writing and keeps reading: the ${down.readers.length} readers that waited read with it at once.`,
        },
      ];
}
