import type { RandomSource } from '../core/base/random.js';
import { PERMIT_CLIENT_BYTES } from '../core/base/constants.generated.js';

/** What the id of each permit of a client begins with, so that whoever ends the permit can tell the
 * client. The eight bytes behind it are random. */
export function clientBytes(clientId: string): Uint8Array {
  return Buffer.from(clientId.replaceAll('-', ''), 'hex').subarray(0, PERMIT_CLIENT_BYTES);
}

/** A fresh id for the permit of a client, of which `client` has the first bytes. */
export function newPermitId(random: Pick<RandomSource, 'id'>, client: Uint8Array): Buffer {
  const id = random.id();
  id.set(client);
  return id;
}

/** A permit id on the wire. */
export function idBytes(id: string): Buffer {
  return Buffer.from(id, 'hex');
}

/** The ids of the permits of one grant: they count up from `first` in the last four bytes, so that
 * a call for many permits is no longer than a call for one. */
export interface PermitIds {
  readonly first: Buffer;
  readonly count: number;
}

/** All ids of a grant as hex digits. */
export function idsOf({ first, count }: PermitIds): string[] {
  if (count === 1) {
    return [first.toString('hex')];
  }
  const start = first.readUInt32BE(12);
  const prefix = first.toString('hex', 0, 12);
  return Array.from({ length: count }, (_, i) => {
    const last = ((start + i) % 2 ** 32).toString(16);
    return prefix + last.padStart(8, '0');
  });
}

/** The id of a grant of one permit. */
export function singleId(id: string): PermitIds {
  return { first: idBytes(id), count: 1 };
}

/** The bytes of an id, followed by text. */
export function joined(id: Buffer, text: string): Buffer {
  const bytes = Buffer.allocUnsafe(id.length + text.length);
  bytes.set(id);
  bytes.write(text, id.length, 'latin1');
  return bytes;
}

/** The bytes of the first id of a grant, followed by their number. */
export function idsBytes({ first, count }: PermitIds): Buffer {
  return joined(first, String(count));
}
