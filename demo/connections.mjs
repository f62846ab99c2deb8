// @ts-check
// Cuts the connections of one worker's client, and of nobody else.

/**
 * What the connections of a worker's client are called on the server.
 * @param {{ keyPrefix: string, act: string, worker: number }} casting
 */
export const connectionName = ({ keyPrefix, act, worker }) => `${keyPrefix}${act}:${worker}`;

/**
 * Ends every connection of these names, at the server.
 * @param {import('ioredis').Redis} redis
 * @param {string[]} names
 * @returns {Promise<number>} how many there were
 */
export async function cutConnections(redis, names) {
  const list = String(await redis.client('LIST'));
  const ids = list
    .split('\n')
    .filter((line) => names.includes(/(?:^| )name=(\S*)/.exec(line)?.[1] ?? ''))
    .map((line) => /(?:^| )id=(\d+)/.exec(line)?.[1] ?? '');
  await Promise.all(ids.map((id) => redis.client('KILL', 'ID', id)));
  return ids.length;
}
