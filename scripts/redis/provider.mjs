// @ts-check
// Where tests, demo and benchmarks get a real Redis: an address somebody named, a server program on
// this machine, a container, a private copy from the distribution, else a sentence that says how.

import { findBinary } from './binary.mjs';
import { engineAnswers, startContainer } from './container.mjs';
import { debianCopy } from './debian.mjs';
import { RedisUnavailableError } from './errors.mjs';
import { startProcess, versionOf } from './process.mjs';
import { call } from './wire.mjs';

export { RedisUnavailableError };

/**
 * @typedef {object} StartOptions
 * @property {'test' | 'demo'} purpose tests never look at REDIS_URL, which may be somebody's own
 * @property {string[]} [args] more server arguments; ignored for a server that runs already
 * @property {boolean} [tls] TLS with a fresh self-signed certificate; own processes only
 *
 * @typedef {object} Redis
 * @property {string} url
 * @property {string} host
 * @property {number} port
 * @property {'url' | 'process' | 'container'} kind
 * @property {string} version such as "redis 7.0.15"
 * @property {number} [pid]
 * @property {string} [binary]
 * @property {string} [caFile] certificate to trust, with tls
 * @property {() => Promise<void>} stop ends what was started; a server named by address stays
 */

const instructions = [
  'No Redis found. One of these gives you one:',
  '  install redis-server or valkey-server, or set REDIS_SERVER_BIN to such a program',
  '  start Docker or Podman',
  '  set REDLATCH_TEST_REDIS_URL (tests) or REDIS_URL (demo) to a running server',
].join('\n');

/**
 * @param {string} url
 * @returns {Promise<Redis>}
 */
async function useUrl(url) {
  const { Redis: Driver } = await import('ioredis');
  const driver = new Driver(url, { lazyConnect: true, retryStrategy: () => null });
  driver.on('error', () => undefined);
  try {
    await driver.connect();
    const version = versionOf(await driver.info('server'));
    const { hostname, port } = new URL(url);
    return {
      url,
      host: hostname,
      port: port === '' ? 6379 : Number(port),
      kind: 'url',
      version,
      stop: async () => await Promise.resolve(),
    };
  } catch (error) {
    throw new RedisUnavailableError('the Redis that was named by address does not answer', error);
  } finally {
    driver.disconnect();
  }
}

/**
 * @param {import('./binary.mjs').Binary} binary
 * @param {StartOptions} options
 * @returns {Promise<Redis>}
 */
async function useProcess(binary, { args = [], tls = false }) {
  const server = await startProcess(binary, { args, tls });
  const { url, host, port, pid, version, stop, caFile } = server;
  const trust = caFile === undefined ? {} : { caFile };
  return { url, host, port, pid, version, kind: 'process', binary: binary.path, stop, ...trust };
}

/**
 * @param {StartOptions} options
 * @returns {Promise<Redis>}
 */
async function useContainer({ args = [] }) {
  const { host, port, stop } = await startContainer(args).catch((error) => {
    throw new RedisUnavailableError('the container engine started no Redis', error);
  });
  const version = versionOf(String(await call({ host, port }, 'INFO', 'server')));
  return { url: `redis://${host}:${port}`, host, port, kind: 'container', version, stop };
}

/**
 * @param {unknown} [cause]
 * @returns {never}
 */
function giveUp(cause) {
  throw new RedisUnavailableError(instructions, cause);
}

/**
 * A server program: named, on PATH, or the private copy. For tests that pause and kill servers.
 *
 * @returns {Promise<import('./binary.mjs').Binary>}
 */
export async function serverBinary() {
  const binary = findBinary() ?? (await debianCopy().catch(giveUp));
  return binary ?? giveUp();
}

/**
 * Finds or starts a Redis. REDIS_PROVIDER=url|process|container forces one way.
 *
 * @param {StartOptions} options
 * @returns {Promise<Redis>}
 */
export async function startRedis(options) {
  const forced = process.env['REDIS_PROVIDER'] ?? '';
  const name = options.purpose === 'test' ? 'REDLATCH_TEST_REDIS_URL' : 'REDIS_URL';
  const url = process.env[name] ?? '';
  switch (forced) {
    case 'url':
      if (url === '') {
        throw new RedisUnavailableError(`REDIS_PROVIDER is "url", but ${name} is not set`);
      }
      return await useUrl(url);
    case 'process':
      return await useProcess(await serverBinary(), options);
    case 'container':
      return await useContainer(options);
    case '':
      break;
    default:
      throw new RedisUnavailableError(
        `REDIS_PROVIDER must be url, process or container, got "${forced}"`,
      );
  }
  if (url !== '') {
    return await useUrl(url);
  }
  const local = findBinary();
  if (local !== undefined) {
    return await useProcess(local, options);
  }
  if (options.tls !== true && (await engineAnswers())) {
    try {
      return await useContainer(options);
    } catch (error) {
      // An engine without access to images is common; the private copy may still work.
      process.stderr.write(`redis: ${String(error)}\n`);
    }
  }
  return await useProcess(await serverBinary(), options);
}
