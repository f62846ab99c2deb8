// @ts-check
// A server of our own: a process on a random loopback port, without persistence, in a temporary
// folder, ended by its pid.

import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RedisUnavailableError } from './errors.mjs';
import { guard } from './guard.mjs';
import { reservePort } from './ports.mjs';
import { call, field, until } from './wire.mjs';

/**
 * @typedef {object} ProcessOptions
 * @property {string[]} [args] more server arguments, such as ['--maxmemory', '64mb']
 * @property {boolean} [tls] TLS with a fresh self-signed certificate (needs openssl)
 * @property {boolean} [cluster] also reserves port + 10000, for the cluster bus
 * @property {string} [config] the text of a configuration file; the server may rewrite it
 *
 * @typedef {object} RedisProcess
 * @property {string} url
 * @property {string} host
 * @property {number} port
 * @property {number} pid
 * @property {string} version
 * @property {string} folder
 * @property {string | undefined} caFile certificate to trust, with tls
 * @property {(signal: NodeJS.Signals) => void} signal
 * @property {() => Promise<void>} exited resolves when the process is gone
 * @property {() => Promise<RedisProcess>} replace ends it if needed and starts an empty one in its
 *   place: the port, which stays reserved until the end
 * @property {() => Promise<void>} stop ends it, removes its folder and frees its port; idempotent
 */

/**
 * @param {string} folder
 * @param {number} port
 * @returns {string[]} server arguments
 */
function tlsArguments(folder, port) {
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', 'tls.key', '-out', 'tls.crt'];
  const kind = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  execFileSync('openssl', [...kind, ...subject, ...files], { cwd: folder, stdio: 'pipe' });
  const pair = ['--tls-cert-file', 'tls.crt', '--tls-key-file', 'tls.key'];
  const trust = ['--tls-ca-cert-file', 'tls.crt', '--tls-auth-clients', 'no'];
  return ['--port', '0', '--tls-port', String(port), ...pair, ...trust];
}

/**
 * @param {string} folder
 * @param {number} port
 * @param {ProcessOptions} options
 * @returns {Promise<string[]>} the whole command line after the program
 */
async function commandLine(folder, port, options) {
  const common = ['--bind', '127.0.0.1', '--dir', folder];
  const listen = options.tls === true ? tlsArguments(folder, port) : ['--port', String(port)];
  if (options.config !== undefined) {
    const file = join(folder, 'server.conf');
    await writeFile(file, options.config);
    return [file, ...common, ...listen, ...(options.args ?? [])];
  }
  const nothingKept = ['--save', '', '--appendonly', 'no'];
  return [...common, ...listen, ...nothingKept, ...(options.args ?? [])];
}

/**
 * @typedef {object} Running
 * @property {number} pid -1 when it could not be started
 * @property {() => boolean} isGone
 * @property {() => string} log the end of its output
 * @property {Promise<void>} exited
 * @property {(signal: NodeJS.Signals) => void} signal
 * @property {() => Promise<void>} stop
 *
 * @param {import('./binary.mjs').Binary} binary
 * @param {string[]} args
 * @param {string} folder removed in the end
 * @returns {Running}
 */
function spawnServer(binary, args, folder) {
  const child = spawn(binary.path, args, {
    env: { ...process.env, ...binary.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (/** @type {Buffer} */ text) => {
      log = (log + text.toString()).slice(-4_000);
    });
    /** @type {import('node:net').Socket} */ (/** @type {unknown} */ (stream)).unref();
  }
  // Neither the process nor its output keeps ours alive.
  child.unref();
  let gone = child.pid === undefined;
  const unguard = child.pid === undefined ? () => undefined : guard(child.pid, folder);
  const exited = new Promise((/** @type {(value: void) => void} */ resolve) => {
    const settle = () => {
      gone = true;
      unguard();
      resolve();
    };
    child.once('exit', settle);
    child.once('error', (error) => {
      log += error.message;
      settle();
    });
  });
  const stop = async () => {
    if (!gone) {
      child.ref();
      child.kill('SIGKILL');
      await exited;
    }
    await rm(folder, { recursive: true, force: true });
  };
  const signal = (/** @type {NodeJS.Signals} */ name) => void child.kill(name);
  return { pid: child.pid ?? -1, isGone: () => gone, log: () => log, exited, signal, stop };
}

/**
 * @param {string} path the program, for the error
 * @param {Running} running
 * @param {{ port: number, ca?: Buffer }} server
 * @returns {Promise<string>} the answer to INFO server
 */
async function whenReady(path, running, server) {
  let info = '';
  await until(
    `the start of ${path}`,
    async () => {
      if (running.isGone()) {
        return true;
      }
      info = String(await call(server, 'INFO', 'server'));
      // Whoever else has this port is not our server.
      return info.includes(`process_id:${running.pid}\r`);
    },
    { withinMs: 10_000, everyMs: 5 },
  );
  if (running.isGone()) {
    throw new RedisUnavailableError(`${path} ended at once: ${running.log().trim()}`);
  }
  return info;
}

/**
 * One attempt. Rejects when the process ends before it answers.
 *
 * @param {import('./binary.mjs').Binary} binary
 * @param {import('./ports.mjs').Reservation} reservation
 * @param {ProcessOptions} options
 * @returns {Promise<RedisProcess>}
 */
async function launch(binary, reservation, options) {
  const { port } = reservation;
  const folder = await mkdtemp(join(tmpdir(), 'redlatch-redis-'));
  const args = await commandLine(folder, port, options);
  const caFile = options.tls === true ? join(folder, 'tls.crt') : undefined;
  const server = caFile === undefined ? { port } : { port, ca: readFileSync(caFile) };
  const running = spawnServer(binary, args, folder);
  const { pid, signal } = running;
  const exited = async () => await running.exited;
  const stop = async () => {
    await running.stop();
    reservation.release();
  };
  const replace = async () => {
    await running.stop();
    return await launch(binary, reservation, options);
  };
  try {
    const version = versionOf(await whenReady(binary.path, running, server));
    const url = `${caFile === undefined ? 'redis' : 'rediss'}://127.0.0.1:${port}`;
    const address = { url, host: '127.0.0.1', port };
    return { ...address, pid, version, folder, caFile, signal, exited, replace, stop };
  } catch (error) {
    await running.stop();
    throw error;
  }
}

/**
 * @param {string} info the answer to INFO server
 * @returns {string} such as "redis 7.0.15" or "valkey 8.1.1"
 */
export function versionOf(info) {
  const valkey = field(info, 'valkey_version');
  return valkey === undefined
    ? `redis ${field(info, 'redis_version') ?? 'unknown'}`
    : `valkey ${valkey}`;
}

/**
 * Starts a server and waits until it answers.
 *
 * @param {import('./binary.mjs').Binary} binary
 * @param {ProcessOptions} [options]
 * @returns {Promise<RedisProcess>}
 */
export async function startProcess(binary, options = {}) {
  const bus = options.cluster === true ? { andPlus: 10_000 } : {};
  for (let tries = 1; ; tries += 1) {
    const reservation = await reservePort(bus);
    try {
      return await launch(binary, reservation, options);
    } catch (error) {
      reservation.release();
      // Somebody who reserves nothing took the port between the check and the start.
      const raced = error instanceof Error && /in use|bind/i.test(error.message);
      if (!raced || tries === 5) {
        throw error;
      }
    }
  }
}
