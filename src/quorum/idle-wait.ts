import type { Clock } from '../core/base/clock.js';
import type { Asked } from './attempt.js';
import type { Claim } from './claim.js';
import type { Place } from './line.js';
import type { Steps } from './steps.js';
import type { WakeUps } from './wake-ups.js';

/** A claim that was passed on, and what was made of it. */
export interface Given<H> {
  readonly given: H;
}

/** One wait between two attempts. */
export interface IdleWait<H> {
  readonly steps: Steps;
  readonly clock: Pick<Clock, 'after'>;
  /** It asks all servers after so many ms, whatever it hears. */
  readonly pauseMs: number;
  /** The message of the server that is asked first has so many ms to follow those of the others. */
  patienceMs(): number;
  readonly wakeUps: WakeUps | undefined;
  /** Where it takes a claim that is passed on. */
  readonly place: Place | undefined;
  readonly give: (claim: Claim) => H;
}

/** Waits until the names may be free: for messages, or a time; or until a claim is passed on. */
export async function waitIdly<H>(wait: IdleWait<H>): Promise<Asked | Given<H>> {
  const { steps, clock, pauseMs, wakeUps, place, give } = wait;
  try {
    return await steps.run<Asked | Given<H>>((resolve) => {
      const end = (): void => {
        timer.cancel();
        // From now on it takes none: the claim would be nobody's.
        place?.offer(undefined);
      };
      const ask = (asked: Asked): void => {
        end();
        resolve(asked);
      };
      let timer = clock.after(pauseMs, () => ask('all'));
      place?.offer((claim) => {
        end();
        // The hold is made at once, so that the client that closes or loses the claim meanwhile finds it.
        resolve({ given: give(claim) });
      });
      wakeUps?.once((isOfFirst) => {
        if (isOfFirst) {
          ask('first');
        } else {
          // The message of the first one may come yet; it may be frozen, or have it for somebody else.
          timer.cancel();
          timer = clock.after(wait.patienceMs(), () => ask('all'));
        }
      });
      return end;
    });
  } finally {
    wakeUps?.once(undefined);
  }
}
