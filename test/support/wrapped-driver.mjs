// @ts-check
// Loaded before tests, and before their child processes: it does what tracers do to the driver, so that all
// commands go through it.

import { Redis } from 'ioredis';

/** @type {unknown} */
const own = Reflect.get(Redis.prototype, 'sendCommand');
Redis.prototype.sendCommand = function (...args) {
  return Reflect.apply(/** @type {typeof Redis.prototype.sendCommand} */ (own), this, args);
};
