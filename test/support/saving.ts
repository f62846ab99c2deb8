// A server that cannot save its data: it refuses each write, and PING, with MISCONF.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { eventually } from './eventually.js';
import { rawClient } from './redis.js';
import { ownServer, type OwnServer } from './server.js';

export interface SavingServer {
  readonly server: OwnServer;
  readonly raw: Redis;
  /** A background save fails: from now on writes are refused. */
  readonly fail: () => Promise<void>;
  /** Writes are accepted again. */
  readonly mend: () => Promise<void>;
}

/** Its folder is removed, as a disk that is full or gone would do it to a user with all rights as well. */
export async function savingServer(): Promise<SavingServer> {
  const folder = await mkdtemp(join(tmpdir(), 'redlatch-saving-'));
  const server = await ownServer({ args: ['--dir', folder] });
  const raw = rawClient(server.url);
  await raw.config('SET', 'save', '3600 1');
  await rm(folder, { recursive: true });
  const stops = async (yes: boolean): Promise<void> => {
    await raw.config('SET', 'stop-writes-on-bgsave-error', yes ? 'yes' : 'no');
  };
  const hasFailed = async (): Promise<boolean> =>
    (await raw.info('persistence')).includes('rdb_last_bgsave_status:err');
  return {
    server,
    raw,
    fail: async () => {
      await stops(true);
      if (!(await hasFailed())) {
        await raw.bgsave();
        await eventually(hasFailed);
      }
    },
    mend: async () => await stops(false),
  };
}
