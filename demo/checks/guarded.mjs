// @ts-check
// What the locks guard shows whether they did.
import { ofType } from '../events.mjs';
import { finding } from './finding.mjs';

/** @typedef {import('../events.mjs').DemoEvent} DemoEvent */
/** @typedef {import('../events.mjs').Turn} Turn */

/** @param {DemoEvent[]} events @param {number} final the counter's last value */
export function noLostUpdate(events, final) {
  const acknowledged = ofType(events, 'increment').length;
  return finding(
    final === acknowledged && final > 0,
    `the counter is ${final} after ${acknowledged} acknowledged increments: no update lost`,
    `the counter is ${final} after ${acknowledged} acknowledged increments: updates were lost`,
  );
}

/** @param {Turn[]} turns */
export function tokensGrow(turns) {
  const tokens = turns.filter((turn) => turn.held !== undefined).map((turn) => turn.token);
  const stuck = tokens.filter((token, index) => {
    const before = tokens[index - 1];
    return token === undefined || (before !== undefined && token <= before);
  }).length;
  return finding(
    stuck === 0 && tokens.length > 0,
    `${tokens.length} fencing tokens, each larger than the one before`,
    `${stuck} of ${tokens.length} fencing tokens were not larger than the one before`,
  );
}

/** @param {import('../token-store.mjs').StoreWrite[]} writes */
export function storeNeverWentBack(writes) {
  const taken = writes.filter((write) => write.accepted);
  const back = taken.filter((write, index) => write.token < (taken[index - 1]?.token ?? 0n)).length;
  return finding(
    back === 0 && taken.length > 0,
    `the store took ${taken.length} writes, none with a smaller token than before`,
    `the store took ${back} writes with a smaller token than it had taken before`,
  );
}

/**
 * A record of two halves, written one after the other, is read as a whole.
 * @param {DemoEvent[]} events
 */
export function neverTorn(events) {
  const reads = ofType(events, 'read');
  const torn = reads.filter((event) => event.torn !== false).length;
  return finding(
    torn === 0 && reads.length > 0,
    `the record was read ${reads.length} times, never half written`,
    `${torn} of ${reads.length} reads met a record that was half written`,
  );
}
