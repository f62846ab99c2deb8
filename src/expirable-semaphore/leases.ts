// The commands about the leases of single permits.

import { privateKey, suffixed } from '../core/base/key-names.js';
import { MEMORY_MS } from '../core/delivery/clean-up.js';
import { adoptedOf, type Adopted, type Detachable } from '../core/grant/detachable.js';
import { renewalAnswers, type RenewalAnswer, type RenewalItem } from '../core/lease/renewal.js';
import { tombstoneKey } from '../core/locks/tombstones.js';
import { commandOf, type Command, type CommandScript } from '../core/wire/call.js';
import {
  expirableSemaphoreAdopt,
  expirableSemaphorePutBack,
  expirableSemaphoreRenew,
} from '../core/wire/scripts.generated.js';
import { idBytes, joined } from './permit-ids.js';

const renew: CommandScript<readonly RenewalAnswer[]> = {
  ...expirableSemaphoreRenew,
  decode: (reply) => renewalAnswers(expirableSemaphoreRenew.decode(reply).split(' ')),
};

/** The record of the leases that we wrote. */
export const leasesKey = (key: string): string => privateKey('leases', key);

/** Renews permits, or asks about them. */
export function renewal(items: readonly RenewalItem[]): Command<readonly RenewalAnswer[]> {
  const operands = expirableSemaphoreRenew.operands(
    { keys: items.flatMap(({ key }) => [key, suffixed(key, 'timeout'), leasesKey(key)]) },
    { claims: items.map(({ holderId, leaseMs }) => joined(idBytes(holderId), String(leaseMs))) },
  );
  return { script: renew, operands };
}

const adopt: CommandScript<Adopted | undefined> = {
  ...expirableSemaphoreAdopt,
  decode: (reply) => adoptedOf(expirableSemaphoreAdopt.decode(reply)),
};

/** The keys of a semaphore that have to do with the permit of another client. */
interface Keys {
  readonly semaphore: string;
  readonly timeouts: string;
  readonly leases: string;
  readonly queue: string;
}

/** The commands by which a permit goes to another client. A permit needs no tombstone: no id is granted twice,
 * since its acquisition is a counted call. */
export function detachablePermits({ semaphore, timeouts, leases, queue }: Keys): Detachable {
  const keysFor = (to: string) => ({
    semaphore,
    timeouts,
    leases,
    queue,
    tombstone: tombstoneKey(semaphore, to),
  });
  return {
    detach: (item) => renewal([item]),
    adopt(from, to, leaseMs) {
      const args = { from: idBytes(from), to: idBytes(to), leaseMs };
      return { script: adopt, operands: expirableSemaphoreAdopt.operands(keysFor(to), args) };
    },
    putBack(from, to) {
      const args = { from: idBytes(from), to: idBytes(to), tombstoneMs: MEMORY_MS };
      return commandOf(expirableSemaphorePutBack, keysFor(to), args);
    },
  };
}
