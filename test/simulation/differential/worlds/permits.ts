import {
  expirableSemaphoreAcquire,
  expirableSemaphoreAdopt,
  expirableSemaphoreConfigure,
  expirableSemaphoreDelete,
  expirableSemaphoreGiveBack,
  expirableSemaphoreHolders,
  expirableSemaphoreInspect,
  expirableSemaphorePutBack,
  expirableSemaphoreRelease,
  expirableSemaphoreReleaseAny,
  expirableSemaphoreRenew,
  expirableSemaphoreResize,
  expirableSemaphoreTrySet,
  expirableSemaphoreUpdateLease,
  requestsCancel,
} from '../../../../src/core/wire/scripts.generated.js';
import { BRIEFLY, type Cast, foreign, operation, type World } from './cast.js';

const NEVER_MS = 922_337_203_685_477;

function claim(grant: Buffer, rest: string): Buffer {
  return Buffer.concat([grant, Buffer.from(rest, 'latin1')]);
}

export function permitsWorld(cast: Cast): World {
  const { key: semaphore, notice, random } = cast;
  const [timeouts, requests] = [cast.beside('timeouts'), cast.beside('requests')];
  const [queue, heartbeats] = [cast.beside('queue'), cast.beside('heartbeats')];
  const twin = cast.beside('twin');
  const tombstone = cast.beside('tombstone');
  const [deleted, leases] = [cast.beside('deleted'), cast.beside('leases')];
  const pair = { semaphore, timeouts, leases };
  const statements = cast.beside('statements');
  const withTwin = (): { deleted: string; statements: string; twin: string[] } => ({
    deleted,
    statements,
    twin: random.chance(0.3) ? [twin] : [],
  });
  const grants: Buffer[] = [];
  const newGrant = (): Buffer => {
    const grant = Buffer.from(Array.from({ length: 16 }, () => random.int(0, 255)));
    grants.push(grant);
    return grant;
  };
  const oldGrant = (): Buffer =>
    grants.length === 0
      ? newGrant()
      : grants[random.int(Math.max(grants.length - 6, 0), grants.length - 1)]!;
  const otherGrant = (): Buffer => (random.chance(0.5) ? newGrant() : oldGrant());
  const few = (): string => String(random.int(1, 3));
  return {
    keys: [
      semaphore,
      timeouts,
      leases,
      requests,
      queue,
      heartbeats,
      deleted,
      statements,
      twin,
      tombstone,
    ],
    next: () =>
      cast.choose([
        [
          10,
          () => {
            const keys = { ...pair, requests, queue, heartbeats, ...withTwin() };
            const claims = cast.few(() => claim(newGrant(), `${few()} ${cast.leaseMs()}`));
            const terms = {
              client: cast.client(),
              mustQueue: cast.flag(),
              declared: cast.declared(),
            };
            const args = { ...cast.request(), ...notice, ...terms, claims };
            return operation(expirableSemaphoreAcquire, keys, args);
          },
        ],
        [
          4,
          () =>
            operation(expirableSemaphoreRelease, pair, {
              ...notice,
              claim: claim(oldGrant(), few()),
              idle: cast.idle(),
            }),
        ],
        [
          1,
          () => {
            const given = { claim: claim(oldGrant(), '1'), idle: cast.idle() };
            const args = { ...cast.request(), ...notice, ...given };
            return operation(
              expirableSemaphoreReleaseAny,
              { ...pair, requests, ...withTwin() },
              args,
            );
          },
        ],
        [
          1,
          () => {
            const claims = cast.few(() => claim(oldGrant(), few()));
            const flags = { leaves: cast.flag(), mayRun: cast.flag() };
            const terms = { client: cast.client(), ...flags, claims };
            const keys = { ...pair, requests, queue, heartbeats };
            return operation(expirableSemaphoreGiveBack, keys, {
              ...cast.request(),
              ...notice,
              ...terms,
            });
          },
        ],
        [
          3,
          () => {
            const claims = cast.few(() => claim(oldGrant(), String(cast.renewalMs())));
            const keys = claims.flatMap(() => [semaphore, timeouts, leases]);
            return operation(expirableSemaphoreRenew, { keys }, { claims });
          },
        ],
        [
          3,
          () => {
            const args = { from: oldGrant(), to: otherGrant(), leaseMs: cast.leaseMs() };
            return operation(expirableSemaphoreAdopt, { ...pair, queue, tombstone }, args);
          },
        ],
        [
          1,
          () => {
            const args = { from: oldGrant(), to: oldGrant(), tombstoneMs: 120_017 };
            return operation(expirableSemaphorePutBack, { ...pair, tombstone }, args);
          },
        ],
        [
          2,
          () => {
            const leaseMs = random.pick([cast.leaseMs(), NEVER_MS, 1_009]);
            const terms = { permit: oldGrant(), leaseMs };
            const args = { ...cast.request(), ...notice, ...terms };
            return operation(expirableSemaphoreUpdateLease, { ...pair, requests }, args);
          },
        ],
        [
          2,
          () => {
            const way = random.pick(['to', 'by']);
            const permits = way === 'to' ? random.int(0, 6) : random.int(-2, 3);
            const declared = cast.declared();
            const args = { ...cast.request(), way, permits, ...notice, declared };
            return operation(expirableSemaphoreResize, { ...pair, requests, ...withTwin() }, args);
          },
        ],
        [
          3,
          () => {
            const terms = { permits: random.int(1, 6), ttlMs: cast.lifeOrIdleMs() };
            const keys = { ...pair, requests, ...withTwin() };
            return operation(expirableSemaphoreTrySet, keys, {
              ...cast.request(),
              ...terms,
              ...notice,
            });
          },
        ],
        [
          1,
          () =>
            operation(
              expirableSemaphoreConfigure,
              { ...pair, requests, ...withTwin() },
              { ...cast.request(), ...notice, setting: cast.setting() },
            ),
        ],
        [
          0.9,
          () =>
            operation(
              expirableSemaphoreDelete,
              { ...pair, requests, ...withTwin() },
              cast.request(),
            ),
        ],
        [1, () => operation(expirableSemaphoreHolders, pair, {})],
        [1, () => operation(expirableSemaphoreInspect, pair, {})],
        [0.3, () => operation(requestsCancel, { requests }, cast.request())],
        [
          0.6,
          () =>
            foreign(
              ...random.pick([
                ['SET', semaphore, '3'],
                ['SET', semaphore, 'text', ...BRIEFLY],
                ['DEL', semaphore],
                ['DEL', timeouts],
                ['SET', timeouts, 'text', ...BRIEFLY],
                ['DEL', leases],
                ['SET', leases, 'text', ...BRIEFLY],
                ['SET', twin, '2'],
                ['DEL', twin],
                ['PEXPIRE', semaphore, '90001'],
              ]),
            ),
        ],
      ]),
  };
}
