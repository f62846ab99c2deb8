/** The fields of options that are read, whatever they are: of an instance, its socket, its provider or its cluster. */
export type Fields = { readonly [Name in FieldName]?: unknown };
type FieldName =
  | 'RESP'
  | 'blockList'
  | 'clientInfoTag'
  | 'connectTimeout'
  | 'credentials'
  | 'credentialsProvider'
  | 'database'
  | 'defaults'
  | 'disableClientInfo'
  | 'expiresAtMs'
  | 'family'
  | 'host'
  | 'keepAlive'
  | 'keepAliveInitialDelay'
  | 'keyPrefix'
  | 'localAddress'
  | 'localPort'
  | 'lookup'
  | 'maintNotifications'
  | 'name'
  | 'noDelay'
  | 'nodeAddressMap'
  | 'password'
  | 'path'
  | 'port'
  | 'rootNodes'
  | 'socket'
  | 'tls'
  | 'type'
  | 'url'
  | 'username';

/** A property of an unknown object; undefined when its getter throws, as those of version 4 do in a proxy. */
export function valueOf(source: object, property: string): unknown {
  try {
    return Reflect.get(source, property);
  } catch {
    return undefined;
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Whether a name or a password is none. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** A host without the brackets that an IPv6 address has in a URL. */
export function bare(host: string): string {
  return host.replace(/^\[(.+)\]$/u, '$1');
}

/** Throws unless the address stands where node-redis reads it. The options of another library have it outside. */
export function checkPlaces(source: Fields): void {
  const misplaced = (['host', 'port'] as const).find((name) => (source[name] ?? null) !== null);
  if (misplaced !== undefined) {
    throw new TypeError(
      `redis: "${misplaced}" stands outside of "socket", where node-redis does not read it: give a client with ` +
        'socket: { host, port }, or the URL of the server if this is a client of another library',
    );
  }
}
