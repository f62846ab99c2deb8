// @ts-check
// A server in a container, where an engine answers. It is asked first: a start against a socket
// that nobody serves would hang.

import { request } from 'node:http';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';

const image = 'valkey/valkey:8-alpine';
const probeMs = 2_000;
const startMs = 120_000;

/** @returns {import('node:http').RequestOptions[]} where an engine may listen */
function candidates() {
  const named = process.env['DOCKER_HOST'] ?? '';
  if (named.startsWith('tcp://') || named.startsWith('http://')) {
    const { hostname, port } = new URL(named.replace(/^tcp:/, 'http:'));
    return [{ host: hostname, port: port === '' ? 2375 : Number(port) }];
  }
  const runtime = process.env['XDG_RUNTIME_DIR'] ?? '/nonexistent';
  const sockets = named.startsWith('unix://')
    ? [named.slice('unix://'.length)]
    : [
        '/var/run/docker.sock',
        `${homedir()}/.docker/run/docker.sock`,
        `${runtime}/docker.sock`,
        `${runtime}/podman/podman.sock`,
      ];
  return sockets.filter((path) => existsSync(path)).map((socketPath) => ({ socketPath }));
}

/**
 * @param {import('node:http').RequestOptions} address
 * @returns {Promise<boolean>}
 */
async function answers(address) {
  return await new Promise((resolve) => {
    const probe = request(
      { ...address, path: '/info', signal: AbortSignal.timeout(probeMs) },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    probe.on('error', () => resolve(false));
    probe.end();
  });
}

/** @returns {Promise<boolean>} whether a container engine answers within 2 s */
export async function engineAnswers() {
  const found = await Promise.all(candidates().map(answers));
  return found.includes(true);
}

/**
 * @param {string[]} args server arguments
 * @returns {Promise<{ host: string, port: number, stop: () => Promise<void> }>}
 */
export async function startContainer(args) {
  const { GenericContainer } = await import('testcontainers');
  const starting = new GenericContainer(image)
    .withExposedPorts(6379)
    .withCommand(['valkey-server', '--save', '', '--appendonly', 'no', ...args])
    .start();
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const deadline = new Promise((/** @type {(value: undefined) => void} */ resolve) => {
    timer = setTimeout(resolve, startMs, undefined);
  });
  const container = await Promise.race([starting, deadline]);
  clearTimeout(timer);
  if (container === undefined) {
    starting.then(
      async (late) => await late.stop(),
      () => undefined,
    );
    throw new Error(`the container engine did not start ${image} within ${startMs} ms`);
  }
  return {
    host: container.getHost(),
    port: container.getMappedPort(6379),
    stop: async () => {
      await container.stop();
    },
  };
}
