// A private server for tests that pause, kill, flush or restart one: never the shared Redis.

import { inject } from 'vitest';
import {
  startProcess,
  type ProcessOptions,
  type RedisProcess,
} from '../../scripts/redis/process.mjs';
import { RedisUnavailableError, serverBinary } from '../../scripts/redis/provider.mjs';
import { atFileEnd } from './file-end.js';

export interface OwnServer {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly version: string;
  readonly caFile: string | undefined;
  /** The current process; another one after `restart()`. */
  readonly pid: number;
  /** SIGSTOP: connections stay open, nothing answers. */
  pause(): void;
  resume(): void;
  /** SIGKILL, and waits until it is gone. */
  kill(): Promise<void>;
  /** Kills it if needed and starts an empty one on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The test needs a server process of its own, and there is only the address of one. */
export class OwnServerError extends Error {
  override readonly name = 'OwnServerError';
  readonly code = 'ERR_NO_OWN_SERVER';
}

const running = new Set<OwnServer>();

atFileEnd(async () => {
  await Promise.all([...running].map(async (server) => await server.stop()));
});

/**
 * Starts a server process that belongs to this test file, and ends with it.
 *
 * @throws OwnServerError when no server program is at hand
 */
export async function ownServer(options: ProcessOptions = {}): Promise<OwnServer> {
  const binary = await serverBinary().catch((error: unknown) => {
    if (error instanceof RedisUnavailableError) {
      const message = `this test starts, pauses and kills a server of its own, and the tests were given a Redis by ${inject('redisKind')} only: install redis-server or set REDIS_SERVER_BIN`;
      throw new OwnServerError(message, { cause: error });
    }
    throw error;
  });
  let current: RedisProcess = await startProcess(binary, options);
  const { url, host, port } = current;
  const server: OwnServer = {
    url,
    host,
    port,
    version: current.version,
    get caFile() {
      return current.caFile;
    },
    get pid() {
      return current.pid;
    },
    pause: () => {
      current.signal('SIGSTOP');
    },
    resume: () => {
      current.signal('SIGCONT');
    },
    kill: async () => {
      current.signal('SIGKILL');
      await current.exited();
    },
    restart: async () => {
      current = await current.replace();
    },
    stop: async () => {
      running.delete(server);
      await current.stop();
    },
  };
  running.add(server);
  return server;
}
