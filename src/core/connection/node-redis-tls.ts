import type { Fields } from './node-redis-fields.js';

/** Options of a socket of node-redis that concern its own connections alone, or have a place of their own. With TLS all
 * others are for `tls.connect`. */
const NOT_OF_TLS = new Set([
  'host',
  'port',
  'path',
  'family',
  'tls',
  'connectTimeout',
  'socketTimeout',
  'reconnectStrategy',
  'keepAlive',
  'keepAliveInitialDelay',
  'noDelay',
  'timeout',
  'onread',
  'readable',
  'writable',
  'signal',
]);

/** Whether an option of a socket is for TLS alone. */
export function isOfTls(name: string): boolean {
  return !NOT_OF_TLS.has(name);
}

/** The options of TLS among those of a socket; undefined without TLS. */
export function tlsOf(socket: Fields): object | undefined {
  const { tls } = socket;
  if (Boolean(tls) && tls !== true) {
    throw new TypeError(
      'redis.socket.tls must be true or false, since node-redis takes anything else for false: ' +
        'options of TLS stand beside it in socket',
    );
  }
  return tls === true
    ? Object.fromEntries(Object.entries(socket).filter(([name]) => isOfTls(name)))
    : undefined;
}
