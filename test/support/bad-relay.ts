// A way to a server that goes bad at one step of a client that connects. It counts the sockets that clients
// have open.

import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { atFileEnd } from './file-end.js';
import { RequestSplitter } from './resp.js';

/** What happens at the step: nothing ever again, a reset, or an answer that is none. */
export type Way = 'mute' | 'reset' | 'garbage';

/** The step: a client has connected, has sent its first bytes, or has sent such a command. */
export type Step = 'accept' | 'bytes' | RegExp;

export interface BadRelay {
  readonly port: number;
  /** How often it went bad. */
  readonly hits: number;
  /** Sockets of clients that are open now. */
  readonly open: number;
  /** The most that were open at once. */
  readonly most: number;
}

const relays = new Set<() => void>();

atFileEnd(() => {
  for (const end of relays) {
    end();
  }
  relays.clear();
});

function spoil(client: Socket, way: Way): void {
  // What it sends is read, so that its end is noticed.
  client.resume();
  if (way === 'reset') {
    client.resetAndDestroy();
  } else if (way === 'garbage') {
    client.write('\u0000what?\r\n');
  }
}

/** Brings what a client sends to the server, up to the command. */
function passUpTo(step: RegExp, client: Socket, server: Socket, hit: () => void): void {
  const requests = new RequestSplitter();
  let isBad = false;
  server.on('error', () => client.destroy());
  server.on('data', (bytes) => {
    if (!isBad) {
      client.write(bytes);
    }
  });
  client.on('close', () => server.destroy());
  client.on('data', (bytes) => {
    for (const { command, bytes: request } of isBad ? [] : requests.push(bytes)) {
      isBad ||= step.test(command.join(' '));
      if (isBad) {
        hit();
        return;
      }
      server.write(request);
    }
  });
}

/** Starts one that ends with the test file. Up to the step all goes to the server at `target`. */
export async function startBadRelay(
  { host, port }: { host: string; port: number },
  step: Step,
  way: Way,
): Promise<BadRelay> {
  const sockets = new Set<Socket>();
  const relay = { port: 0, hits: 0, open: 0, most: 0 };
  const listener = createServer((client) => {
    const hit = (): void => {
      relay.hits += 1;
      spoil(client, way);
    };
    sockets.add(client);
    relay.open = sockets.size;
    relay.most = Math.max(relay.most, relay.open);
    client.on('error', () => {});
    client.on('close', () => {
      sockets.delete(client);
      relay.open = sockets.size;
    });
    if (step === 'accept') {
      hit();
    } else if (step === 'bytes') {
      client.once('data', hit);
    } else {
      passUpTo(step, client, connect({ host, port }), hit);
    }
  });
  await new Promise<void>((resolve) => {
    listener.listen(0, '127.0.0.1', resolve);
  });
  relays.add(() => {
    listener.close();
    for (const socket of sockets) {
      socket.destroy();
    }
  });
  relay.port = (listener.address() as AddressInfo).port;
  return relay;
}
