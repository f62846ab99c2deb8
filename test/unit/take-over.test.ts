// When the socket of the driver's connection is taken, on a driver that the test plays.

import { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import type { DriverRedis } from '../../src/core/connection/driver-types.js';
import { takeOver } from '../../src/core/connection/take-over.js';

/** A driver whose command is answered by `answer`, with so many others under way. */
function driverOf(
  answer: (nonce: string, name: string) => unknown,
  { commands = 0, offline = 0 } = {},
) {
  const writes: string[] = [];
  const stream = new Duplex({
    read: () => {},
    write: (chunk: Buffer, _encoding, done) => {
      writes.push(chunk.toString());
      done();
    },
  });
  const driver = {
    stream,
    commandQueue: { length: commands },
    offlineQueue: { length: offline },
    sendCommand() {
      return this.commandQueue;
    },
    call: async (name: string, nonce: string) => await Promise.resolve(answer(nonce, name)),
  };
  return { driver: driver as unknown as DriverRedis, stream, writes };
}

const taken = async (driver: DriverRedis): Promise<unknown> =>
  await takeOver(driver, (error) => error);

const nonceIn = (text = ''): string => /\$36\r\n(\S{36})\r\n/.exec(text)?.[1] ?? '';

test('it is taken when both questions are answered by what was asked', async () => {
  const { driver, stream, writes } = driverOf((nonce) => nonce);
  const taking = taken(driver);
  await new Promise(setImmediate);

  stream.emit('data', Buffer.from(`$36\r\n${nonceIn(writes[0])}\r\n`));

  expect(await taking).toBeDefined();
  expect(writes).toHaveLength(1);
});

/** Answers of a server that refuses PING. */
const refusing =
  (echo: (nonce: string) => unknown) =>
  (nonce: string, name: string): unknown => {
    if (name === 'PING') {
      throw new Error('MISCONF Redis is configured to save RDB snapshots');
    }
    return echo(nonce);
  };

test('it is taken where PING alone is refused', async () => {
  const { driver, stream, writes } = driverOf(refusing((nonce) => nonce));
  const taking = taken(driver);
  await new Promise(setImmediate);

  stream.emit('data', Buffer.from(`$36\r\n${nonceIn(writes[0])}\r\n`));

  expect(await taking).toBeDefined();
  expect(writes[0]).toContain('ECHO');
});

test('the connection is used through the driver where every question is refused', async () => {
  const { driver, writes } = driverOf(() => {
    throw new Error('NOPERM');
  });

  expect(await taken(driver)).toBeUndefined();
  expect(writes).toEqual([]);
});

test.each([
  ['the refusal of PING was that of something else', driverOf(refusing(() => 'PONG of before'))],
  ['the first answer is that to something else', driverOf(() => 'OK')],
  ['another command of the driver has no answer', driverOf((nonce) => nonce, { commands: 1 })],
  ['the driver has a command to write', driverOf((nonce) => nonce, { offline: 1 })],
])('the connection is given up when %s', async (_, { driver, writes }) => {
  await expect(taken(driver)).rejects.toThrow('not that of the command');

  expect(writes).toEqual([]);
});

test.each([
  ['that to something else', '+OK\r\n'],
  ['the first nonce', undefined],
])('the connection is given up when the second answer is %s', async (_, reply) => {
  let first = '';
  const { driver, stream } = driverOf((nonce) => {
    first = nonce;
    return nonce;
  });
  const taking = taken(driver);
  await new Promise(setImmediate);

  stream.emit('data', Buffer.from(reply ?? `$36\r\n${first}\r\n`));

  await expect(taking).rejects.toThrow('not that of the command');
});

test('whatever listened to the bytes of the socket gets no more of them', async () => {
  const { driver, stream, writes } = driverOf((nonce) => nonce);
  const heard: Buffer[] = [];
  stream.on('data', (bytes: Buffer) => heard.push(bytes));
  const taking = taken(driver);
  await new Promise(setImmediate);

  stream.emit('data', Buffer.from(`$36\r\n${nonceIn(writes[0])}\r\n`));
  await taking;

  expect(heard).toEqual([]);
});
