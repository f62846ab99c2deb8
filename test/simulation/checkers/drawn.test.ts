// Legal histories that are drawn at random are accepted, and most of them are not any more when one
// thing in them is changed.

import { describe, expect, test } from 'vitest';
import { Random } from '../../../src/testing/random.js';
import { CORRUPTIONS } from './corruptions.js';
import { drawHistory } from './drawn.js';
import { KINDS } from './index.js';
import { foundIn, SMALL } from './made-up.js';

const BOUNDS = { ...SMALL, maxSteps: 20_000 };

describe.each(KINDS)('%s', (kind) => {
  test.each([false, true])('legal histories are accepted, with faults: %s', (isFaulty) => {
    const random = new Random(5);
    for (let i = 0; i < 40; i += 1) {
      const history = drawHistory(kind, random, { isFaulty });
      expect(foundIn(history, BOUNDS), `history ${i}`).toEqual([]);
    }
  });

  test.each(CORRUPTIONS.filter(({ kinds }) => kinds.includes(kind)))(
    '$name',
    ({ apply, least }) => {
      const random = new Random(7);
      let changed = 0;
      let rejected = 0;
      for (let i = 0; i < 40; i += 1) {
        const history = apply(drawHistory(kind, random), random);
        if (history !== undefined) {
          changed += 1;
          rejected += foundIn(history, BOUNDS).length > 0 ? 1 : 0;
        }
      }
      expect(changed).toBeGreaterThan(8);
      expect(rejected / changed).toBeGreaterThanOrEqual(least);
    },
  );
});
