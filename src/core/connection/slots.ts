import { list } from '../wire/replies.js';
import type { Address } from './driver-types.js';

const SLOTS = 16_384;
const CRC16_POLYNOMIAL = 0x1021;

/** CRC-16/XMODEM, which the Redis cluster specification prescribes. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) {
      crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ CRC16_POLYNOMIAL;
    }
    crc &= 0xffff;
  }
  return crc;
}

/** The slot of a key or channel. Only the text between the first `{` and the first `}` behind it is
 * hashed; the whole key when there is no such text. */
export function slotOf(key: string): number {
  const open = key.indexOf('{');
  const close = open < 0 ? -1 : key.indexOf('}', open + 1);
  const hashed = close > open + 1 ? key.slice(open + 1, close) : key;
  return crc16(Buffer.from(hashed)) % SLOTS;
}

/** A range of slots and the master that serves it. */
export interface SlotRange {
  readonly from: number;
  readonly to: number;
  readonly master: Address;
}

/** Reads the answer to CLUSTER SLOTS of the node at `asked`, which may leave out its own host. */
export function readSlots(reply: unknown, asked: Address): SlotRange[] {
  const ranges: SlotRange[] = [];
  for (const range of list(reply).map(list)) {
    const [from, to, master] = range;
    const [host, port] = list(master);
    if (typeof host === 'string' || host === null) {
      const address = {
        host: host === null || host === '' ? asked.host : host,
        port: Number(port),
      };
      ranges.push({ from: Number(from), to: Number(to), master: address });
    }
  }
  return ranges;
}

/** Reads where a MOVED or ASK error points to. */
export function readRedirection(
  message: string,
  asked: Address,
): { readonly isAsk: boolean; readonly slot: number; readonly address: Address } | undefined {
  const match = /\b(MOVED|ASK) (\d+) (\S*):(\d+)/.exec(message);
  if (match === null) {
    return undefined;
  }
  const [, kind, slot, host = '', port] = match;
  const address = { host: host === '' ? asked.host : host, port: Number(port) };
  return { isAsk: kind === 'ASK', slot: Number(slot), address };
}
