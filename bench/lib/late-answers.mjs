// @ts-check
// A way to a server on which each answer takes longer.
import { createServer, connect } from 'node:net';
import { once } from 'node:events';

/**
 * @param {string} url of the server
 * @param {number} ms
 * @returns {Promise<{ url: string, close(): void }>}
 */
export async function withLateAnswers(url, ms) {
  const { hostname, port } = new URL(url);
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  const relay = createServer((client) => {
    const server = connect(Number(port), hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => {
        sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    client.pipe(server);
    server.on('data', (bytes) => setTimeout(() => client.writable && client.write(bytes), ms));
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const address = /** @type {import('node:net').AddressInfo} */ (relay.address());
  return {
    url: `redis://127.0.0.1:${address.port}`,
    close() {
      relay.close();
      sockets.forEach((socket) => socket.destroy());
    },
  };
}
