import { tracingChannel } from 'node:diagnostics_channel';
import type { DriverRedis } from './driver-types.js';
import type { Answered } from './wire.js';

/** Where the driver tells tracers, such as those of OpenTelemetry, of each command. */
const traces = tracingChannel('ioredis:command');

/** Lets tracers see a command as the driver shows them its own; returns what has to be told of its end.
 * `parts` and `args` follow one another in the command. */
export function traced(
  driver: DriverRedis,
  parts: readonly string[],
  args: readonly unknown[],
  answered: Answered,
): Answered {
  if (!traces.hasSubscribers) {
    return answered;
  }
  const [command = '', ...first] = parts;
  const { db, host, port, path } = driver.options;
  const socket = path ?? '';
  const context = {
    command,
    args: [...first, ...args.map(String)],
    database: db ?? 0,
    serverAddress: socket === '' ? (host ?? 'localhost') : socket,
    serverPort: socket === '' ? (port ?? 6_379) : undefined,
  };
  let wrapped = answered;
  const ended = traces.tracePromise(
    () =>
      new Promise<void>((resolve, reject) => {
        wrapped = (reply, error) => {
          answered(reply, error);
          if (error === undefined) {
            resolve();
          } else {
            reject(error);
          }
        };
      }),
    context,
  );
  // The caller gets the error by `answered`.
  ended.catch(() => {});
  return wrapped;
}
