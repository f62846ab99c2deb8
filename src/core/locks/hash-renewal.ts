import { renewalAnswers, type Renewal, type RenewalAnswer } from '../lease/renewal.js';
import type { CommandScript } from '../wire/call.js';
import { lockRenew } from '../wire/scripts.generated.js';

const renew: CommandScript<readonly RenewalAnswer[]> = {
  ...lockRenew,
  decode: (reply) => renewalAnswers(lockRenew.decode(reply).split(' ')),
};

/** Renews leases that are the TTL of a hash each, in which the holder has a field. */
export function hashRenewal(fieldOf: (holderId: string) => string): Renewal {
  return (items) => ({
    script: renew,
    operands: lockRenew.operands(
      { locks: items.map(({ key }) => key) },
      { claims: items.flatMap((item) => [fieldOf(item.holderId), String(item.leaseMs)]) },
    ),
  });
}
