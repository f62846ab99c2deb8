// @ts-check
// The little of the Redis protocol that setting up servers needs, so that it depends on no client.

import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** @typedef {string | number | null | Error | Reply[]} Reply */

/**
 * @param {string} text what arrived so far
 * @param {number} at where a reply starts
 * @returns {{ value: Reply, end: number } | undefined} undefined while it is incomplete
 */
function parse(text, at) {
  const eol = text.indexOf('\r\n', at);
  if (eol === -1) {
    return undefined;
  }
  const body = text.slice(at + 1, eol);
  const next = eol + 2;
  switch (text[at]) {
    case '+':
      return { value: body, end: next };
    case '-':
      return { value: new Error(body), end: next };
    case ':':
      return { value: Number(body), end: next };
    case '$': {
      const length = Number(body);
      if (length < 0) {
        return { value: null, end: next };
      }
      const end = next + length + 2;
      return text.length < end ? undefined : { value: text.slice(next, end - 2), end };
    }
    case '*':
      return parseArray(text, next, Number(body));
    default:
      throw new Error(`unexpected reply "${text.slice(at, eol)}"`);
  }
}

/**
 * @param {string} text
 * @param {number} start
 * @param {number} length
 * @returns {{ value: Reply, end: number } | undefined}
 */
function parseArray(text, start, length) {
  /** @type {Reply[]} */
  const items = [];
  let end = start;
  for (let index = 0; index < length; index += 1) {
    const item = parse(text, end);
    if (item === undefined) {
      return undefined;
    }
    items.push(item.value);
    end = item.end;
  }
  return { value: length < 0 ? null : items, end };
}

/**
 * @param {(string | number)[]} args
 * @returns {string}
 */
function encode(args) {
  const items = args.map((arg) => {
    const text = String(arg);
    return `$${Buffer.byteLength(text, 'latin1')}\r\n${text}\r\n`;
  });
  return `*${args.length}\r\n${items.join('')}`;
}

/**
 * Sends one command on its own connection.
 *
 * @param {{ port: number, host?: string, ca?: Buffer, timeoutMs?: number }} server
 * @param {...(string | number)} args
 * @returns {Promise<Exclude<Reply, Error>>} rejects with the server's error
 */
export async function call({ port, host = '127.0.0.1', ca, timeoutMs = 2_000 }, ...args) {
  return await new Promise((resolve, reject) => {
    const socket =
      ca === undefined
        ? connect({ port, host })
        : connectTls({ port, host, ca, checkServerIdentity: () => undefined });
    let text = '';
    const settle = (/** @type {Reply} */ value) => {
      socket.destroy();
      if (value instanceof Error) {
        reject(value);
      } else {
        resolve(value);
      }
    };
    socket.setEncoding('latin1');
    socket.setTimeout(timeoutMs, () => settle(new Error(`no answer from ${host}:${port}`)));
    socket.on('error', settle);
    socket.on('close', () => settle(new Error(`${host}:${port} closed the connection`)));
    socket.on('data', (chunk) => {
      text += String(chunk);
      const reply = parse(text, 0);
      if (reply !== undefined) {
        settle(reply.value);
      }
    });
    socket.write(encode(args), 'latin1');
  });
}

/**
 * One field of an INFO-like answer ("name:value" lines).
 *
 * @param {unknown} info
 * @param {string} name
 * @returns {string | undefined}
 */
export function field(info, name) {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(String(info))?.[1];
}

/**
 * Polls until the check says true.
 *
 * @param {string} what for the error
 * @param {() => Promise<boolean>} check a rejection counts as "not yet"
 * @param {{ withinMs: number, everyMs?: number }} limits
 * @returns {Promise<void>}
 */
export async function until(what, check, { withinMs, everyMs = 25 }) {
  const end = performance.now() + withinMs;
  /** @type {unknown} */
  let last;
  do {
    try {
      if (await check()) {
        return;
      }
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, everyMs);
    });
  } while (performance.now() < end);
  throw new Error(`${what} did not happen within ${withinMs} ms`, { cause: last });
}
