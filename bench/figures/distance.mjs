// @ts-check
// Many acquisitions at once over a long way: what waiting for a turn costs where the server is far away, and not busy.
import { ratioRow } from '../lib/report.mjs';
import { compareSides } from '../lib/sides.mjs';
import { ratioOf } from '../lib/stats.mjs';
import { longWay } from '../lib/way.mjs';

const ROUND_TRIPS_MS = [1, 30, 80];
const CALLS = [100, 500, 1_000, 5_000];

/** What a client that has learnt nothing writes at once. */
const AT_ONCE = 1_000;

/** @param {number} ms */
const wholeMs = (ms) => `${ms.toFixed(0)} ms`;

/** @type {import('./index.mjs').Figure} */
export const distance = {
  id: 'distance',
  title: `bursts of ${CALLS.join(', ')} locks over ${ROUND_TRIPS_MS.join(', ')} ms`,
  async measure({ url, keyPrefix, quick }) {
    const rows = [];
    for (const roundTripMs of ROUND_TRIPS_MS) {
      const way = await longWay(url, roundTripMs);
      for (const calls of CALLS) {
        /** @type {Omit<import('../tasks/cycles.mjs').CyclesOptions, 'side'>} */
        const options = {
          url: way.url,
          keyPrefix,
          kind: 'lock',
          loops: calls,
          warmUps: 10_000,
          ms: 'once',
          anew: true,
        };
        const quads = await compareSides(options, { pairs: 1, quads: quick ? 3 : 6 });
        const took = ratioOf(quads, ({ perSecond }) => (calls / perSecond) * 1_000);
        const limit = calls > AT_ONCE && roundTripMs > 30 ? 1.3 : 1.1;
        const figure = `${calls} locks at once over ${roundTripMs} ms: acquired and released`;
        rows.push(ratioRow(figure, took, wholeMs, { is: '<=', limit }));
      }
      way.close();
    }
    return rows;
  },
};
