import { renewalAnswers, type Renewal, type RenewalAnswer } from '../lease/renewal.js';
import type { CommandScript } from '../wire/call.js';
import { lockRenew } from '../wire/scripts.generated.js';

const renew: CommandScript<readonly RenewalAnswer[]> = {
  ...lockRenew,
  decode: (reply) => renewalAnswers(lockRenew.decode(reply)),
};

/** Renews leases that are the TTL of a hash each, in which the holder has a field. */
export function hashRenewal(fieldOf: (holderId: string) => string): Renewal {
  return (claims) => ({
    script: renew,
    operands: lockRenew.operands(
      { locks: claims.map(({ key }) => key) },
      { claims: claims.flatMap((claim) => [fieldOf(claim.holderId), String(claim.leaseMs)]) },
    ),
  });
}
