import type { Redis } from 'ioredis';

/** Cuts every connection that carries the name: commands, subscriptions or both. */
export async function killConnections(
  raw: Redis,
  connectionName: string,
  which: 'normal' | 'pubsub' | 'all',
): Promise<void> {
  const types = which === 'all' ? ['normal', 'pubsub'] : [which];
  for (const type of types) {
    const list = String(await raw.call('CLIENT', 'LIST', 'TYPE', type));
    for (const line of list
      .split('\n')
      .filter((text) => text.includes(` name=${connectionName} `))) {
      const [, id = ''] = /id=(\d+)/.exec(line) ?? [];
      await raw.call('CLIENT', 'KILL', 'ID', id);
    }
  }
}
