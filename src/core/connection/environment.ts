import { systemClock, type Clock } from '../base/clock.js';
import { systemRandom, type RandomSource } from '../base/random.js';
import { createConnection, type Redis, type Use } from './driver.js';
import type { ConnectionOptions } from './driver-types.js';
import type { Ask } from './sign-in-hook.js';

/** Makes a connection, which has this long to become ready. It asks for credentials where `ask` is given. */
export type Connect = (
  options: ConnectionOptions,
  readyLimitMs: number,
  use: Use,
  ask?: Ask,
) => Redis;

/** All that a client has from outside of itself: time, chance and the network. */
export interface Environment {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly connect: Connect;
}

/** The machine on which this runs. */
export function systemEnvironment(): Environment {
  return { clock: systemClock(), random: systemRandom, connect: createConnection };
}
