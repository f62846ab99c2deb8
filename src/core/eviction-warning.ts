import { warnLater } from './base/program-calls.js';
import { evicts, type Examined } from './connection/server-check.js';

const RISK = 'a lock that is evicted has two owners, and volatile policies evict locks first';

/** Warns once of a server that may evict locks. One that hides its policy is not blamed. */
export function evictionWarning(): (examined: Pick<Examined, 'memory'>, address: string) => void {
  let isTold = false;
  return ({ memory }, address) => {
    if (!isTold && evicts(memory) === true) {
      isTold = true;
      const limit = `at ${memory.maxmemory} bytes (maxmemory-policy ${memory.policy})`;
      const what = `Redis at ${address} evicts keys ${limit}: ${RISK}`;
      warnLater(`${what}. Set maxmemory-policy noeviction`, 'REDLATCH_EVICTION');
    }
  };
}
