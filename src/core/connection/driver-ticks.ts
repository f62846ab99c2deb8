import { withNextTick } from '../base/natives.js';
import type { DriverRedis } from './driver-types.js';

/** Those methods of the driver that put its next step, or an event, on `process.nextTick`. */
const STEPS = ['connect', 'setStatus'] as const;

/** Lets the driver get on where test runners replace `process.nextTick`. */
export function keepTicking(redis: DriverRedis): void {
  for (const name of STEPS) {
    const step: unknown = Reflect.get(redis, name);
    if (typeof step === 'function') {
      Reflect.set(redis, name, (...args: unknown[]) =>
        withNextTick((): unknown => Reflect.apply(step, redis, args)),
      );
    }
  }
}
