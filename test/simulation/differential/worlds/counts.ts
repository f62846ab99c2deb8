import {
  latchCountDown,
  latchDelete,
  latchInspect,
  latchTrySetCount,
  requestsCancel,
  requestsTrim,
  semaphoreAcquire,
  semaphoreAddPermits,
  semaphoreConfigure,
  semaphoreDelete,
  semaphoreDrainPermits,
  semaphoreGiveBack,
  semaphoreInspect,
  semaphoreRelease,
  semaphoreReturn,
  semaphoreTrySetPermits,
} from '../../../../src/core/wire/scripts.generated.js';
import { BRIEFLY, type Cast, foreign, operation, type World } from './cast.js';

export function latchWorld(cast: Cast): World {
  const { key: latch, notice, random } = cast;
  const [opened, requests] = [cast.beside('opened'), cast.beside('requests')];
  const keys = { latch, opened, requests };
  return {
    keys: [latch, opened, requests],
    next: () =>
      cast.choose([
        [8, () => operation(latchCountDown, keys, { ...cast.request(), ...notice })],
        [
          3,
          () => {
            const terms = { count: random.int(1, 4), ttlMs: cast.lifeMs() };
            return operation(latchTrySetCount, keys, { ...cast.request(), ...terms, ...notice });
          },
        ],
        [0.5, () => operation(latchDelete, keys, { ...cast.request(), ...notice })],
        [2, () => operation(latchInspect, keys, {})],
        [0.3, () => operation(requestsCancel, { requests }, cast.request())],
        [0.3, () => operation(requestsTrim, { requests }, cast.mark())],
        [
          0.3,
          () =>
            foreign(
              ...random.pick([
                ['SET', latch, random.pick(['2', '-1', '0', 'text', '9223372036854775807'])],
                ['HSET', latch, 'field', 'value'],
                ['DEL', latch],
                ['SET', opened, random.pick(['', 'text', '17.5'])],
                ['DEL', opened],
                ['PERSIST', latch],
              ]),
            ),
        ],
      ]),
  };
}

/** @param markOf the mark that the semaphore has by now */
export function semaphoreWorld(cast: Cast, markOf: (key: string) => string): World {
  const { key: semaphore, notice, random } = cast;
  const [requests, queue] = [cast.beside('requests'), cast.beside('queue')];
  const [heartbeats, record] = [cast.beside('heartbeats'), cast.beside('record')];
  const keys = { semaphore, requests, record };
  const queued = { ...keys, queue, heartbeats };
  const needs = (): number[] => cast.few(() => random.int(1, 3));
  /** Of this semaphore, of an earlier one, or none. */
  const mark = (): string =>
    random.pick([markOf(record), markOf(record), '1700000000000000:1700000000000000:1', '', '0']);
  return {
    keys: [semaphore, requests, queue, heartbeats, record],
    next: () =>
      cast.choose([
        [
          10,
          () => {
            const terms = { client: cast.client(), mustQueue: cast.flag() };
            const args = { ...cast.request(), ...notice, ...terms, needs: needs() };
            return operation(semaphoreAcquire, queued, args);
          },
        ],
        [
          8,
          () => {
            const given = mark();
            const terms = {
              client: cast.client(),
              mustQueue: cast.flag(),
              mark: given,
              place: random.int(1, 2),
            };
            const declared = given === '' ? cast.declared() : '';
            const permits = random.chance(0.02) ? 2_147_483_647 : random.int(1, 3);
            const rest = { permits, declared, needs: random.chance(0.5) ? [] : needs() };
            const args = { ...cast.request(), ...notice, ...terms, ...rest };
            return operation(semaphoreRelease, queued, args);
          },
        ],
        [
          4,
          () => {
            const of = { client: cast.client(), mark: mark(), place: random.int(1, 2) };
            const args = { ...notice, ...of, permits: random.int(1, 3) };
            return operation(semaphoreReturn, { semaphore, record }, args);
          },
        ],
        [
          2,
          () => {
            const terms = { permits: random.int(1, 6), ttlMs: cast.lifeOrIdleMs() };
            return operation(semaphoreTrySetPermits, keys, {
              ...cast.request(),
              ...notice,
              ...terms,
            });
          },
        ],
        [
          2,
          () => {
            const terms = { delta: random.int(-3, 4), declared: cast.declared() };
            return operation(semaphoreAddPermits, keys, { ...cast.request(), ...notice, ...terms });
          },
        ],
        [
          1,
          () => {
            const args = { ...cast.request(), declared: cast.declared() };
            return operation(semaphoreDrainPermits, keys, args);
          },
        ],
        [
          1,
          () => {
            const args = { ...cast.request(), ...notice, setting: cast.setting() };
            return operation(semaphoreConfigure, keys, args);
          },
        ],
        [
          1,
          () => {
            const flags = { leaves: cast.flag(), mayRun: cast.flag() };
            const terms = { client: cast.client(), ...flags, mark: mark() };
            const rest = { permits: random.int(0, 2), place: random.int(1, 2), needs: needs() };
            const args = { ...cast.request(), ...notice, ...terms, ...rest };
            return operation(semaphoreGiveBack, queued, args);
          },
        ],
        [0.5, () => operation(semaphoreDelete, keys, cast.request())],
        [1, () => operation(semaphoreInspect, { semaphore }, {})],
        [0.3, () => operation(requestsCancel, { requests }, cast.request())],
        [0.3, () => operation(requestsTrim, { requests }, cast.mark())],
        [
          0.5,
          () =>
            foreign(
              ...random.pick([
                ['SET', semaphore, random.pick(['4', '-2', 'text'])],
                ['INCRBY', semaphore, '1'],
                ['DEL', semaphore],
                ['DEL', record],
                ['PEXPIRE', semaphore, '90001'],
                ['SET', queue, 'text', ...BRIEFLY],
                ['DEL', queue],
              ]),
            ),
        ],
      ]),
  };
}
