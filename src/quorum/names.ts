import { lineKeys, type LineKeys } from '../core/locks/line.js';

/** One lock of a quorum: the same keys on each server. */
export interface QuorumName {
  /** The name that its user has given. */
  readonly resource: string;
  readonly key: string;
  /** Different in every client. */
  readonly lockId: string;
  readonly keys: LineKeys;
}

export function quorumName(
  clientId: string,
  resource: string,
  key: string,
  fenced: boolean,
): QuorumName {
  const kind = fenced ? 'fenced-lock' : 'lock';
  const lockId = [clientId, 'quorum', kind, key].join(':');
  return { resource, key, lockId, keys: lineKeys(key, fenced) };
}
