// What a server says to one who listens is heard, also where the process of that one was blocked meanwhile.

import { expect, test } from 'vitest';
import { whyNoAnswer } from '../../src/core/connection/probe.js';
import { rawClient } from '../support/redis.js';
import { ownServer } from '../support/server.js';

/** Longer than the probe listens. */
const BLOCKED_MS = 400;

function block(): void {
  const until = performance.now() + BLOCKED_MS;
  while (performance.now() < until) {
    // Nothing else runs.
  }
}

test('the limit of clients, though the event loop is blocked for longer than the limit', async () => {
  const { host, port, url } = await ownServer();
  await rawClient(url).config('SET', 'maxclients', 1);

  const reason = whyNoAnswer({ host, port });
  block();

  expect((await reason)?.message).toBe('ERR max number of clients reached');
});
