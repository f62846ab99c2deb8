// The pair of programs under examples/ that a reader can run.

import { expect, test } from 'vitest';
import { run } from '../../scripts/lib/run.mjs';
import { rawClient } from '../support/redis.js';
import { runNode } from '../support/run-node.js';
import { ownServer } from '../support/server.js';

test('a Java program and a Node program book on one ledger, and no entry is lost', async () => {
  const server = await ownServer();
  const env = { REDIS_URL: server.url };
  const folder = 'examples/java-and-node';
  const maven = ['--quiet', '--batch-mode', '--file', folder, 'compile', 'exec:java'];

  const [java, node] = await Promise.all([
    run('mvn', maven, { env }),
    runNode([`${folder}/ledger.mjs`], { env, withinMs: 55_000 }),
  ]);

  expect(node).toEqual({
    code: 0,
    stdout: 'booked by Node: 200\nbooked together: 400\n',
    stderr: '',
  });
  expect([java.code, java.output]).toEqual([
    0,
    expect.stringContaining('booked by Java: 200\nbooked together: 400\n'),
  ]);
  expect(await rawClient(server.url).get('example:ledger:balance')).toBe('400');
});
