// What goes wrong in a seed, and when: data, the same for the same seed.

import type { Direction, Which } from '../property/route.js';
import type { Random } from '../../src/testing/random.js';
import type { Profile } from './seeds.js';

export type Fault = { readonly atMs: number } & (
  | { readonly fault: 'delay'; readonly client: number; readonly ms: number }
  | { readonly fault: 'cut'; readonly client: number; readonly which: Which }
  | { readonly fault: 'kill'; readonly client: number; readonly which: Which }
  | {
      readonly fault: 'swallow';
      readonly client: number;
      readonly which: Which;
      readonly direction: Direction;
    }
  | {
      readonly fault: 'hold back';
      readonly client: number;
      readonly direction: 'up' | 'down';
      readonly forMs: number;
    }
  | { readonly fault: 'lose answer'; readonly client: number }
  | { readonly fault: 'repeat'; readonly client: number; readonly afterMs: number }
  | { readonly fault: 'unreachable'; readonly client: number; readonly forMs: number }
  | { readonly fault: 'forget scripts' }
  | { readonly fault: 'pause'; readonly mode: 'ALL' | 'WRITE'; readonly forMs: number }
  | { readonly fault: 'block'; readonly forMs: number }
  | { readonly fault: 'renew client'; readonly client: number }
  | { readonly fault: 'flush' }
  | { readonly fault: 'fill' }
  | { readonly fault: 'set clock back' }
  | { readonly fault: 'fail over'; readonly lostMs: number }
  | { readonly fault: 'kill process' }
  | { readonly fault: 'freeze process'; readonly forMs: number }
);

const whichOf = (random: Random): Which => random.pick(['normal', 'pubsub', 'all']);

/**
 * @param clients how many there are; the last one is the one that is closed and made anew
 * @param forMs how long the trouble lasts
 */
export function faultPlan(
  random: Random,
  clients: number,
  forMs: number,
  { isFlushed, isFull, hasProcesses }: Profile,
): Fault[] {
  const faults: Fault[] = [];
  const anyClient = (): number => random.int(0, clients - 1);
  for (let atMs = random.int(20, 150); atMs < forMs; atMs += random.int(30, 220)) {
    faults.push(
      random.weighted<Fault>([
        [
          5,
          () => ({
            atMs,
            fault: 'delay',
            client: anyClient(),
            ms: random.pick([0, 0, 0, 2, 8, 30]),
          }),
        ],
        [3, () => ({ atMs, fault: 'cut', client: anyClient(), which: whichOf(random) })],
        [2, () => ({ atMs, fault: 'kill', client: anyClient(), which: whichOf(random) })],
        [
          2,
          () => ({
            atMs,
            fault: 'swallow',
            client: anyClient(),
            which: whichOf(random),
            direction: random.pick(['up', 'down', 'both']),
          }),
        ],
        [
          3,
          () => ({
            atMs,
            fault: 'hold back',
            client: anyClient(),
            direction: random.pick(['up', 'down']),
            forMs: random.int(20, 500),
          }),
        ],
        [5, () => ({ atMs, fault: 'lose answer', client: anyClient() })],
        [5, () => ({ atMs, fault: 'repeat', client: anyClient(), afterMs: random.int(10, 900) })],
        [
          1,
          () => ({ atMs, fault: 'unreachable', client: anyClient(), forMs: random.int(50, 600) }),
        ],
        [1, () => ({ atMs, fault: 'forget scripts' })],
        [
          0.6,
          () => ({
            atMs,
            fault: 'pause',
            mode: random.pick(['ALL', 'WRITE']),
            forMs: random.int(20, 150),
          }),
        ],
        [0.6, () => ({ atMs, fault: 'block', forMs: random.pick([20, 60, 200, 500]) })],
        [1, () => ({ atMs, fault: 'renew client', client: clients - 1 })],
      ]),
    );
  }
  if (isFlushed) {
    faults.push({ atMs: random.int(300, 900), fault: 'flush' });
    faults.push({ atMs: random.int(1_200, forMs), fault: 'flush' });
  } else {
    for (let atMs = random.int(200, 700); atMs < forMs; atMs += random.int(500, 900)) {
      faults.push({ atMs, fault: 'fail over', lostMs: random.int(5, 200) });
    }
  }
  if (isFull) {
    faults.push({ atMs: random.int(200, 900), fault: 'fill' });
  }
  if (hasProcesses) {
    faults.push({ atMs: random.int(700, 1_100), fault: 'kill process' });
    faults.push({ atMs: random.int(700, 1_100), fault: 'freeze process', forMs: 700 });
    faults.push({ atMs: random.int(1_150, 2_000), fault: 'set clock back' });
  }
  return faults.toSorted((a, b) => a.atMs - b.atMs);
}
