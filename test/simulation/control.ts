// The positive control: runs in which an unfenced store must lose updates. If it does not, the
// simulation does not contain what fencing tokens are for, and its other verdicts are worth little.

import { Random } from '../../src/testing/random.js';
import type { Plan } from './plan.js';

const LEASE_MS = 300;
const CLIENTS = 4;

/** Workers that take turns under a fenced lock, while its holder stands still again and again. */
export function controlPlan(seed: number): Plan {
  const random = new Random(seed);
  const section = {
    do: 'section',
    mode: 'exclusive',
    how: 'acquire',
    again: [],
    releasesOuterFirst: false,
  };
  const scripts = Array.from({ length: CLIENTS }, (_, client) => ({
    client,
    steps: Array.from({ length: 40 }, () => ({
      pauseMs: random.int(0, 5),
      act: { ...section, stayMs: random.int(3, 20) },
    })),
  }));
  const faults = Array.from({ length: 6 }, (_, i) => ({
    at: 50 + i * LEASE_MS + random.int(0, LEASE_MS),
    do: 'stall holder' as const,
    forMs: random.int(LEASE_MS + 50, LEASE_MS * 2),
  }));
  return {
    seed,
    kind: 'fenced',
    terms: {
      clients: CLIENTS,
      nodes: 1,
      servers: 1,
      otherSlots: 40,
      leaseMs: LEASE_MS,
      commandTimeoutMs: 1_000,
      latencyMinMs: 0.1,
      latencyMaxMs: 1,
      latenessMs: 1,
      drift: 0,
      isMadeByJava: false,
      handOffs: ['strict'],
    },
    isCrowd: false,
    isFlow: false,
    startsCold: false,
    scripts,
    faults: faults.toSorted((a, b) => a.at - b.at),
    healAt: 6 * LEASE_MS * 2,
  };
}
