// Asks a server that let a client connect but gave no answer which the driver could read.

import { connect, type Socket, type TcpNetConnectOpts, type IpcNetConnectOpts } from 'node:net';
import { connect as connectWithTls } from 'node:tls';
import type { ConnectionOptions } from './driver-types.js';

/** A server that refuses a connection says so at once. */
const GREETING_MS = 200;

/** The answer to a handshake takes a round trip and some computing. */
const ANSWER_MS = 500;

/** A limit passes in so many steps: what came while the process was blocked is read between them. */
const STEPS = 4;

/** How each kind of reply begins. */
const REPLY = /^[-+$:*]/u;

/** How records of TLS begin: alerts, or handshakes, and a version. */
const TLS_RECORDS = ['\u0015\u0003', '\u0016\u0003'];

/** Errors of a connection that the server has closed, on which it sent nothing, or nothing that could be read.
 * The error of an address that cannot be reached, or of a certificate, is clear. */
const UNCLEAR = new RegExp(
  'closed|not ready within|EPIPE|ECONNRESET|ECONNABORTED|ETIMEDOUT|EPROTO|' +
    'Protocol error|RESP type|SSL routines|before secure TLS',
  'u',
);

/** Whether the server may say more about an attempt to connect that has failed so. */
export function isUnclear(error: Error): boolean {
  return UNCLEAR.test(`${'code' in error ? String(error.code) : ''} ${error.message}`);
}

/** Asks a server why it did not answer; undefined where it does not say. */
export type Question = () => Promise<Error | undefined>;

/** `isMute`: it has accepted the connection, says nothing, and does not close. */
interface Heard {
  readonly text: string;
  readonly isMute: boolean;
}

type Target = TcpNetConnectOpts | IpcNetConnectOpts;

/**
 * Why the server did not answer an attempt to connect, as far as it tells one who listens: at its limit
 * of clients it says so and closes, which a client that is writing may never read. Or it speaks plain
 * text where TLS was expected, or the other way round.
 */
export async function whyNoAnswer(options: ConnectionOptions): Promise<Error | undefined> {
  const target = targetOf(options);
  if (target === undefined) {
    return undefined;
  }
  const greeting = await heard(connect(target), GREETING_MS);
  if (greeting.text.startsWith('-')) {
    return new Error(greeting.text.slice(1).split('\r\n')[0]);
  }
  return options.tls ? await whyNoHandshake(target, greeting) : await whyNoReply(target, greeting);
}

/** Of an attempt with TLS. */
async function whyNoHandshake(target: Target, greeting: Heard): Promise<Error | undefined> {
  const { text, isMute } = greeting.isMute
    ? await heard(connect(target), ANSWER_MS, 'PING\r\n')
    : greeting;
  if (isMute) {
    return new Error('it accepts connections, but does not answer the TLS handshake');
  }
  return REPLY.test(text)
    ? new Error(
        'the port speaks plain text, not TLS: give a redis:// URL, or options without "tls"',
      )
    : undefined;
}

/** Of an attempt without TLS. */
async function whyNoReply(target: Target, { text }: Heard): Promise<Error | undefined> {
  return TLS_RECORDS.includes(text.slice(0, 2)) || (text === '' && (await speaksTls(target)))
    ? new Error('the port speaks TLS: give a rediss:// URL, or "tls" in the options')
    : undefined;
}

/** Undefined where the driver finds the server by other means. */
function targetOf({
  host,
  port,
  family,
  path,
  sentinels,
  Connector,
}: ConnectionOptions): Target | undefined {
  // The options of an instance have a null where there are none.
  if (Connector || (Array.isArray(sentinels) && sentinels.length > 0)) {
    return undefined;
  }
  if (typeof path === 'string' && path !== '') {
    return { path };
  }
  return { host: host ?? 'localhost', port: port ?? 6379, family: family ?? 0 };
}

/** Sends `text`, and returns the first bytes that the server sends. */
function heard(socket: Socket, limitMs: number, text = ''): Promise<Heard> {
  return new Promise((resolve) => {
    const end = (said: string, isMute = false): void => {
      socket.destroy();
      resolve({ text: said, isMute });
    };
    let left = STEPS;
    const step = (): void => {
      left -= 1;
      if (left < 0) {
        end('', !socket.connecting);
      } else {
        socket.setTimeout(limitMs / STEPS, step);
      }
    };
    socket.unref();
    step();
    socket.on('error', () => end(''));
    socket.on('close', () => end(''));
    socket.on('data', (bytes: Buffer) => end(bytes.toString('latin1')));
    if (text !== '') {
      socket.write(text);
    }
  });
}

/** Whether the server answers a TLS handshake; a refusal is an answer. */
function speaksTls(target: Target): Promise<boolean> {
  return new Promise((resolve) => {
    // Nothing is sent, so it does not matter who the server is.
    const socket = connectWithTls({ ...target, rejectUnauthorized: false });
    const end = (does: boolean): void => {
      socket.destroy();
      resolve(does);
    };
    socket.unref();
    socket.setTimeout(ANSWER_MS, () => end(false));
    socket.on('secureConnect', () => end(true));
    socket.on('error', (error: Error) => end(/alert/iu.test(error.message)));
    socket.on('close', () => end(false));
  });
}
