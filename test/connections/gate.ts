// A way to the server on which each script call waits until a test has looked at it: one at a time,
// so that nothing changes meanwhile.

import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll } from 'vitest';
import { RequestSplitter } from '../support/resp.js';

/** The parts of a request, byte by byte. */
function partsOf(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let at = bytes.indexOf('\r\n') + 2;
  while (at < bytes.length) {
    const start = bytes.indexOf('\r\n', at) + 2;
    const end = start + Number(bytes.toString('latin1', at + 1, start - 2));
    parts.push(bytes.subarray(start, end));
    at = end + 2;
  }
  return parts;
}

/** Told of a script call before the server is: its digest or source, and its operands. */
export type Look = (script: string, operands: Buffer[]) => Promise<void>;

/** Starts a gate that ends with the test file. Returns its address. */
export async function startGate(
  target: { host: string; port: number },
  look: Look,
): Promise<string> {
  const sockets = new Set<Socket>();
  let turn = Promise.resolve();

  async function pass(bytes: Buffer, up: Socket): Promise<void> {
    const [name, script, ...operands] = partsOf(bytes);
    if (!/^eval/iu.test(String(name))) {
      up.write(bytes);
      return;
    }
    await look(String(script), operands);
    up.write(bytes);
    // Until it has been answered the next one would see the state before it.
    const answered = new AbortController();
    await Promise.race([
      once(up, 'data', { signal: answered.signal }).catch(() => undefined),
      once(up, 'close', { signal: answered.signal }).catch(() => undefined),
    ]);
    answered.abort();
  }

  const server = createServer((client) => {
    const up = connect(target);
    const requests = new RequestSplitter();
    for (const socket of [client, up]) {
      sockets.add(socket.setNoDelay(true).on('error', () => undefined));
    }
    client.on('data', (chunk) => {
      for (const { bytes } of requests.push(chunk)) {
        turn = turn.then(async () => await pass(bytes, up));
      }
    });
    up.pipe(client);
    client.on('close', () => up.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.close();
    sockets.forEach((socket) => socket.destroy());
  });
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
