// When permits were granted, by the server's own time.

import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { eventually } from '../support/eventually.js';
import { watchCommands } from '../support/monitor.js';

/**
 * Watches a server for permits that are entered with a fixed lease. What this gives back tells at
 * which milliseconds of the server's clock they were granted, in that order.
 */
export async function watchGrants(raw: Redis, leaseMs: number): Promise<() => Promise<number[]>> {
  const grantedAt: number[] = [];
  const end = `the end of ${randomUUID()}`;
  let ended = false;
  const monitor = raw.duplicate();
  await watchCommands(monitor, ([command = '', key = '', ...entries]) => {
    ended ||= key === end;
    if (command.toUpperCase() === 'ZADD' && key.endsWith(':timeout')) {
      // Score and permit by turns; the score is the instant at which the permit expires.
      const expiries = entries.filter((_entry, i) => i % 2 === 0);
      grantedAt.push(...expiries.map((expiry) => Number(expiry) - leaseMs));
    }
  });
  return async () => {
    await raw.echo(end);
    await eventually(() => ended);
    monitor.disconnect();
    return grantedAt.toSorted((a, b) => a - b);
  };
}
