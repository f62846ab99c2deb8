// @ts-check
// A long way to a server: what goes there and what comes back arrives later, in order.
import { connect, createServer } from 'node:net';

/**
 * @param {string} url
 * @param {number} roundTripMs
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function longWay(url, roundTripMs) {
  const { hostname, port } = new URL(url);
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  /** @param {import('node:net').Socket} from @param {import('node:net').Socket} to */
  const pass = (from, to) => {
    sockets.add(from);
    from.setNoDelay(true);
    from.on('data', (bytes) => setTimeout(() => to.write(bytes), roundTripMs / 2));
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const relay = createServer((near) => {
    const far = connect(Number(port), hostname);
    pass(near, far);
    pass(far, near);
  });
  await new Promise((resolve) => relay.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = /** @type {import('node:net').AddressInfo} */ (relay.address());
  return {
    url: `redis://127.0.0.1:${address.port}`,
    close: () => {
      relay.close();
      sockets.forEach((socket) => socket.destroy());
    },
  };
}
