// The simulated connection beside one of the driver: what is told to whom, in which order.

import { afterAll, expect, onTestFinished, test } from 'vitest';
import {
  createConnection,
  type GuardedConnection,
  type Use,
} from '../../../src/core/connection/driver.js';
import { readTemplate } from '../../../src/core/connection/endpoint.js';
import { Conditions } from '../../../src/testing/network/conditions.js';
import { Host } from '../../../src/testing/network/host.js';
import { Network } from '../../../src/testing/network/network.js';
import { Process } from '../../../src/testing/process.js';
import { Random } from '../../../src/testing/random.js';
import { LuaEngine } from '../../../src/testing/server/lua.js';
import { Server } from '../../../src/testing/server/server.js';
import { WallClock } from '../../../src/testing/wall-clock.js';
import { Timeline } from '../../../src/testing/timeline.js';
import { reservePort } from '../../../scripts/redis/ports.mjs';
import { ownServer } from '../../support/server.js';
import { rawClient } from '../../support/redis.js';

const server = await ownServer();
const raw = rawClient(server.url);
const lua = await LuaEngine.load();
afterAll(() => raw.disconnect());

/** A place to connect to, and what can be done to it. */
interface Side {
  connect(use?: Use): GuardedConnection;
  connectToNobody(): Promise<GuardedConnection>;
  /** Sets a key, publishes, ends the connections. */
  admin(...argv: string[]): Promise<void>;
  killAll(): Promise<void>;
  /** Waits until it is true. */
  until(isTrue: () => boolean): Promise<void>;
}

function realSide(): Side {
  return {
    connect: (use = 'commands') => createConnection(readTemplate(server.url).options, 5_000, use),
    connectToNobody: async () => {
      const { port } = await reservePort();
      return createConnection(readTemplate(`redis://127.0.0.1:${port}`).options, 5_000, 'commands');
    },
    admin: async (command = '', ...args) => {
      await raw.call(command, ...args);
    },
    killAll: async () => {
      await raw.call('CLIENT', 'KILL', 'SKIPME', 'yes');
    },
    until: async (isTrue) => {
      await expect.poll(isTrue, { timeout: 10_000, interval: 2 }).toBe(true);
    },
  };
}

function simulatedSide(): Side {
  const timeline = new Timeline();
  const random = new Random(1);
  const terms = { latencyMinMs: 0.1, latencyMaxMs: 0.5 };
  const network = new Network(new Conditions(timeline, random, terms, () => {}));
  const newHost = (port: number): Host =>
    new Host(
      `127.0.0.1:${port}`,
      new Server(lua, () => 1_000 + timeline.now, random),
      new WallClock(timeline),
    );
  const host = newHost(7_000);
  const nobody = newHost(7_001);
  nobody.isUp = false;
  network.add(host);
  network.add(nobody);
  const process = new Process(timeline, random, { startsAt: 0, rate: 1, latenessMs: 0 });
  const connect = network.connector(process);
  const session = { isAsking: false, message: () => {}, moved: () => {} };
  return {
    connect: (use = 'commands') => connect({ host: '127.0.0.1', port: 7_000 }, 5_000, use),
    connectToNobody: async () =>
      await Promise.resolve(connect({ host: '127.0.0.1', port: 7_001 }, 5_000, 'commands')),
    admin: async (...argv) => {
      host.server.handle(
        session,
        argv.map((each) => Buffer.from(each).toString('latin1')),
      );
      await Promise.resolve();
    },
    killAll: async () => {
      for (const link of host.links) {
        link.hostDied(true);
      }
      await Promise.resolve();
    },
    until: async (isTrue) => {
      await timeline.run(timeline.now + 10_000, isTrue);
      expect(isTrue()).toBe(true);
    },
  };
}

type Log = (text: string) => void;

const tell = (log: Log, what: string, promise: Promise<unknown>): void => {
  promise.then(
    (value) => log(`${what}: ${JSON.stringify(value)}`),
    (error: Error) => log(`${what} failed: ${error.name}: ${error.message}`),
  );
};

function listen(connection: GuardedConnection, log: Log): void {
  connection.on('connect', () => log('connect'));
  connection.on('ready', () => log('ready'));
  connection.on('end', () => log('end'));
  connection.on('error', (error) =>
    log(`error ${/ECONNREFUSED/u.exec(error.message)?.[0] ?? error.message}`),
  );
  connection.on('message', (channel, payload) => log(`message ${channel} ${payload}`));
}

interface Scene {
  readonly side: Side;
  readonly lines: string[];
  readonly log: Log;
  /** A connection that is ready. */
  readonly open: (use?: Use) => Promise<GuardedConnection>;
  /** As many lines as that have been logged. */
  readonly lineCount: (count: number) => Promise<void>;
}

type Play = (scene: Scene) => Promise<void>;

const SCRIPT = { sha1: '0'.repeat(40), source: "return {KEYS[1], ARGV[1] .. 'é', 3, false}" };

const script = (
  connection: GuardedConnection,
  isKnown: boolean,
  argument: string | Buffer,
): Promise<unknown> =>
  new Promise((resolve, reject) => {
    connection.sendScript(SCRIPT, isKnown, [1, 'key', argument], (reply, error) => {
      if (error === undefined) {
        resolve(reply);
      } else {
        reject(error);
      }
    });
  });

const PLAYS: Readonly<Record<string, Play>> = {
  'calls and their replies': async ({ open, log, lineCount, side }) => {
    await side.admin('SET', 'text', 'één');
    const connection = await open();
    tell(log, 'ping', connection.call('ping'));
    tell(log, 'get', connection.call('GET', 'text'));
    tell(log, 'nothing', connection.call('GET', 'nothing'));
    tell(log, 'set', connection.call('SET', ['a', 'b']));
    tell(log, 'wrong', connection.call('HGET', 'text', 'a'));
    await lineCount(7);
    tell(log, 'unknown script', script(connection, true, 'ü'));
    tell(log, 'script', script(connection, false, 'ü'));
    tell(log, 'script with bytes', script(connection, false, Buffer.from('ü')));
    await lineCount(10);
  },
  'a call before it is ready': async ({ side, log, lineCount }) => {
    const connection = side.connect();
    listen(connection, log);
    connection.connect().catch(() => {});
    connection.call('ping').catch(() => log('early ping failed'));
    await lineCount(3);
    onTestFinished(() => connection.destroy());
  },
  'nobody is there': async ({ side, log, lineCount }) => {
    const connection = await side.connectToNobody();
    listen(connection, log);
    connection.connect().catch(() => {});
    await lineCount(2);
  },
  'the other side ends it': async ({ side, open, lineCount }) => {
    await open();
    await side.killAll();
    await lineCount(3);
  },
  'it is destroyed with a call under way': async ({ open, log, lineCount }) => {
    const connection = await open();
    tell(log, 'ping', connection.call('ping'));
    connection.destroy();
    await lineCount(3);
  },
  messages: async ({ side, open, log, lineCount }) => {
    const connection = await open('messages');
    tell(
      log,
      'subscribe',
      connection.call('subscribe', ['one', 'two']).then(() => 'done'),
    );
    await lineCount(3);
    await side.admin('PUBLISH', 'one', 'first');
    await side.admin('PUBLISH', 'other', 'unheard');
    await side.admin('PUBLISH', 'two', 'zweite é');
    await lineCount(5);
    tell(
      log,
      'unsubscribe',
      connection.call('unsubscribe', 'one').then(() => 'done'),
    );
    await lineCount(6);
    await side.admin('PUBLISH', 'one', 'unheard');
    await side.admin('PUBLISH', 'two', 'third');
    await lineCount(7);
  },
};

async function play(side: Side, act: Play): Promise<string[]> {
  const lines: string[] = [];
  const log: Log = (text) => lines.push(text);
  const opened: GuardedConnection[] = [];
  const lineCount = async (count: number): Promise<void> =>
    await side.until(() => lines.length >= count);
  const open = async (use?: Use): Promise<GuardedConnection> => {
    const connection = side.connect(use);
    opened.push(connection);
    listen(connection, log);
    connection.connect().catch(() => {});
    await lineCount(2);
    return connection;
  };
  await act({ side, lines, log, open, lineCount });
  for (const connection of opened) {
    connection.destroy();
  }
  return lines;
}

test.each(Object.entries(PLAYS))('%s', async (_, act) => {
  const real = await play(realSide(), act);
  const simulated = await play(simulatedSide(), act);

  expect(simulated).toEqual(real);
});
