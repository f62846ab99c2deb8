// What becomes of a fetch that fails: npm fetches from a registry of ours, which answers as it is told.

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { fetched, FetchError, networkFailure } from '../../scripts/gate/fetch.mjs';
import { run } from '../../scripts/lib/run.mjs';

/** As in a process that has fetched nothing. */
const fresh = () => ({ leftMs: 60_000, hasFailed: false });

type Answer = (response: ServerResponse) => unknown;

const status =
  (code: number): Answer =>
  (response) =>
    response.writeHead(code).end('{}');
const cut: Answer = (response) => response.destroy();
/** A package with one version, 1.0.0. */
const document: Answer = (response) =>
  response.end(
    JSON.stringify({
      name: 'wanted',
      'dist-tags': { latest: '1.0.0' },
      versions: { '1.0.0': { name: 'wanted', version: '1.0.0', dist: {} } },
    }),
  );

/** Fetches a package with three attempts from a registry that answers them so. */
async function fetchFrom(answers: Answer[], version = '1.0.0'): Promise<{ asked: () => number }> {
  const left = [...answers];
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    (left.shift() ?? status(500))(response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const cache = mkdtempSync(`${tmpdir()}/redlatch-npm-`);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    rmSync(cache, { recursive: true });
  });
  const { port } = server.address() as AddressInfo;
  const registry = [
    `--registry=http://127.0.0.1:${port}/`,
    '--fetch-retries=0',
    '--loglevel=error',
  ];
  const args = ['view', ...registry, `--cache=${cache}`, `wanted@${version}`, 'version', '--json'];
  const step = async (): ReturnType<typeof run> => await run('npm', args, { timeoutMs: 20_000 });
  await fetched('wanted', step, { pausesMs: [0, 0], all: fresh() });
  return { asked: () => asked };
}

const failing = async (answers: Answer[], version?: string): Promise<unknown> =>
  await fetchFrom(answers, version).then(
    () => 'fetched',
    (error: unknown) => error,
  );

test('what fails twice and is there the third time is fetched', async () => {
  const { asked } = await fetchFrom([status(503), cut, document]);

  expect(asked()).toBe(3);
});

test.each([
  ['a server that is not well', status(503), '503'],
  ['a connection that breaks', cut, 'socket hang up|ECONNRESET'],
])('%s three times is no failure of the commit', async (_, answer, reason) => {
  const error = await failing([answer, answer, answer]);

  expect(error).toBeInstanceOf(FetchError);
  expect((error as Error).message).toMatch(/^could not fetch wanted: /);
  expect((error as FetchError).reason).toMatch(new RegExp(reason));
});

/** Nothing listens there. */
const NOWHERE = [
  'view',
  '--registry=http://127.0.0.1:1/',
  '--fetch-retries=0',
  '--loglevel=error',
  'wanted@1.0.0',
];

test('a refused connection is no failure of the commit', async () => {
  const step = run.bind(undefined, 'npm', NOWHERE, { timeoutMs: 20_000 });

  await expect(fetched('wanted', step, { pausesMs: [], all: fresh() })).rejects.toThrow(
    /could not fetch wanted: .*ECONNREFUSED/,
  );
});

test('a package that does not exist is a failure at once', async () => {
  const error = await failing([status(404), document]);

  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(FetchError);
});

test('what takes too long three times is no failure of the commit', async () => {
  let steps = 0;
  const step = async (): Promise<{ code: number; output: string; timedOut: boolean }> => {
    steps += 1;
    return await Promise.resolve({ code: 1, output: '', timedOut: true });
  };

  await expect(fetched('wanted', step, { pausesMs: [0, 0], all: fresh() })).rejects.toThrow(
    'it took too long',
  );
  expect(steps).toBe(3);
});

test('where the network has failed for one, others have one attempt', async () => {
  const all = fresh();
  let steps = 0;
  const step = async (): Promise<{ code: number; output: string }> => {
    steps += 1;
    return await Promise.resolve({ code: 1, output: 'ECONNREFUSED' });
  };

  for (const what of ['one', 'another']) {
    await expect(fetched(what, step, { pausesMs: [0, 0], all })).rejects.toThrow('ECONNREFUSED');
  }
  expect(steps).toBe(4);
});

test('all fetches together have a limit', async () => {
  const all = { leftMs: 100, hasFailed: false };
  const limits: number[] = [];
  const step = async (
    limitMs: number,
  ): Promise<{ code: number; output: string; timedOut: true }> => {
    limits.push(limitMs);
    await delay(limitMs + 10);
    return { code: 1, output: '', timedOut: true };
  };

  await expect(fetched('wanted', step, { pausesMs: [0, 0], all })).rejects.toThrow(
    'could not fetch wanted: all fetches together took too long',
  );
  expect(limits).toEqual([100]);
});

test.each([
  ['npm error code EINTEGRITY'],
  ['npm error code ETARGET\nnpm error notarget No matching version found for wanted@9.9.9.'],
  ['npm error code EUSAGE\n`npm ci` can only install packages when package-lock.json is in sync'],
  ['[ERROR] COMPILATION ERROR : /test/Program.java:[5,3] cannot find symbol'],
  ['npm warn ECONNRESET, another attempt\nnpm error code EINTEGRITY'],
  ['Connection reset\n[ERROR] COMPILATION ERROR'],
  ['Could not find artifact org.redisson:redisson:jar:9.9.9 in central'],
])('is a failure: %s', (output) => {
  expect(networkFailure(output)).toBeUndefined();
});

test.each([
  ['npm error code E503'],
  ['npm error code EAI_AGAIN'],
  ['npm error code EIDLETIMEOUT'],
  ['npm error code ERR_STREAM_PREMATURE_CLOSE'],
  ['Could not transfer artifact a:b:jar:1 from/to central: Remote host terminated the handshake'],
  ['connect: Network is unreachable'],
  ['Could not transfer artifact a:b:pom:1 from/to central: Connection reset'],
  [
    'Could not transfer artifact a:b:pom:1 from/to central: status code: 502, reason phrase: Bad Gateway',
  ],
  ['Err:1 stable InRelease\n  Temporary failure resolving the host'],
  ['E: Failed to fetch redis-tools.deb  503  Service Unavailable [IP: 127.0.0.1 80]'],
  ['Could not connect to 127.0.0.1:80 (127.0.0.1), connection timed out'],
])('is none: %s', (output) => {
  expect(networkFailure(output)).toBeDefined();
});
