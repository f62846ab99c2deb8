// Every way to get an object by its name.

import type { Client } from '../../../src/index.js';

export const getters: readonly ((client: Client, name: string) => unknown)[] = [
  (client, name) => client.getLock(name),
  (client, name) => client.getFairLock(name),
  (client, name) => client.getFencedLock(name),
  (client, name) => client.getReadWriteLock(name),
  (client, name) => client.getSemaphore(name),
  (client, name) => client.getPermitExpirableSemaphore(name),
  (client, name) => client.getCountDownLatch(name),
];
