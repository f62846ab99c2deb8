import type { ConnectionOptions } from './driver-types.js';

/** What a server has let this client do so far. */
export interface Access {
  /** A connection has signed in: later refusals to sign in may be a password that is rotated. */
  signedIn: boolean;
  /** A call has been carried out: a later lack of rights may be rights that are changed. */
  served: boolean;
}

const SENTINEL_PORT = 26_379;

/** Where options lead to, in words, without credentials. */
export function addressOf(options: ConnectionOptions): string {
  const { host = 'localhost', port = 6379, path, sentinels, name } = options;
  // The options of an instance have a null where there are none.
  if (Array.isArray(sentinels) && sentinels.length > 0) {
    const addresses = sentinels.map((each) => `${each.host}:${each.port ?? SENTINEL_PORT}`);
    return `${name ?? 'the master'} of the sentinels ${addresses.join(', ')}`;
  }
  if (typeof path === 'string' && path !== '') {
    return path;
  }
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
