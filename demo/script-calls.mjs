// @ts-check
// Counts the EVAL and EVALSHA calls that this process hands to its driver. Several acts are on at
// the same time, so the server's own statistics could not tell whose calls they were.
import { Redis } from 'ioredis';

const SCRIPT_CALLS = new Set(['eval', 'evalsha']);
let sent = 0;

// oxlint-disable-next-line typescript/unbound-method -- it is called on its connection below
const { sendCommand } = Redis.prototype;

/** Every command goes through here, those of pipelines too. @type {typeof sendCommand} */
Redis.prototype.sendCommand = function countScriptCalls(command, ...rest) {
  sent += SCRIPT_CALLS.has(command.name.toLowerCase()) ? 1 : 0;
  return sendCommand.call(this, command, ...rest);
};

/** Script calls of this process so far. */
export const scriptCalls = () => sent;
