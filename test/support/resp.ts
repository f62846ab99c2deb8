// Finds the borders of requests and replies in the Redis protocol (RESP2 and RESP3), however the
// network cuts them into chunks.

import { isUtf8 } from 'node:buffer';

const crlf = '\r\n';

export interface Request {
  /** Name and arguments, as text. */
  readonly command: string[];
  readonly bytes: Buffer;
}

export interface ReplyFrame {
  readonly bytes: Buffer;
  /** A message or a (un)subscription, not the answer to the oldest open request. */
  readonly isPush: boolean;
}

interface Line {
  readonly text: string;
  readonly end: number;
}

/** The line that starts at `at`, without its line end; undefined while incomplete. */
function lineAt(buffer: Buffer, at: number): Line | undefined {
  const eol = buffer.indexOf(crlf, at);
  return eol === -1
    ? undefined
    : { text: buffer.toString('latin1', at, eol), end: eol + crlf.length };
}

function requestAt(buffer: Buffer): { command: string[]; end: number } | undefined {
  const head = lineAt(buffer, 0);
  if (head === undefined) {
    return undefined;
  }
  if (!head.text.startsWith('*')) {
    // An inline command, as typed by hand.
    return { command: head.text.split(' '), end: head.end };
  }
  const command: string[] = [];
  let at = head.end;
  for (let left = Number(head.text.slice(1)); left > 0; left -= 1) {
    const size = lineAt(buffer, at);
    if (size === undefined) {
      return undefined;
    }
    const end = size.end + Number(size.text.slice(1));
    if (buffer.length < end + crlf.length) {
      return undefined;
    }
    const bytes = buffer.subarray(size.end, end);
    command.push(bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1'));
    at = end + crlf.length;
  }
  return { command, end: at };
}

/** Cuts what a client sends into requests. */
export class RequestSplitter {
  #rest: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): Request[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const requests: Request[] = [];
    for (;;) {
      const found = requestAt(this.#rest);
      if (found === undefined) {
        return requests;
      }
      requests.push({ command: found.command, bytes: this.#rest.subarray(0, found.end) });
      this.#rest = this.#rest.subarray(found.end);
    }
  }
}

/** Where the value that starts at `at` ends; undefined while it is incomplete. */
function valueEnd(buffer: Buffer, at: number): number | undefined {
  const head = lineAt(buffer, at);
  if (head === undefined) {
    return undefined;
  }
  const size = Number(head.text.slice(1));
  switch (head.text[0]) {
    case '$':
    case '!':
    case '=': {
      const end = size < 0 ? head.end : head.end + size + crlf.length;
      return buffer.length < end ? undefined : end;
    }
    case '*':
    case '~':
    case '>':
      return valuesEnd(buffer, head.end, size);
    case '%':
      return valuesEnd(buffer, head.end, 2 * size);
    case '|':
      // Attributes stand in front of the value they belong to.
      return valuesEnd(buffer, head.end, 2 * size + 1);
    default:
      return head.end;
  }
}

function valuesEnd(buffer: Buffer, at: number, count: number): number | undefined {
  let end: number | undefined = at;
  for (let left = count; left > 0 && end !== undefined; left -= 1) {
    end = valueEnd(buffer, end);
  }
  return end;
}

// RESP2 has no push type: on a subscriber these arrays are pushes.
const resp2Push = /^\*\d\r\n\$\d+\r\n[ps]?(?:message|subscribe|unsubscribe)\r\n/;

/** Cuts what a server sends into replies and pushes. */
export class ReplySplitter {
  #rest: Buffer = Buffer.alloc(0);

  push(chunk: Buffer, isSubscriber: boolean): ReplyFrame[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const frames: ReplyFrame[] = [];
    for (;;) {
      const end = valueEnd(this.#rest, 0);
      if (end === undefined) {
        return frames;
      }
      const bytes = this.#rest.subarray(0, end);
      const start = bytes.toString('latin1', 0, 64);
      const isPush = start.startsWith('>') || (isSubscriber && resp2Push.test(start));
      frames.push({ bytes, isPush });
      this.#rest = this.#rest.subarray(end);
    }
  }
}
