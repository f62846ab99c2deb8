import { tracingChannel } from 'node:diagnostics_channel';
import { expect, onTestFinished, test } from 'vitest';
import { redisUrl } from '../../support/redis.js';
import { testScope } from '../../support/scope.js';

const scope = testScope('traced');

interface Seen {
  readonly command: string;
  readonly args: readonly string[];
  readonly serverPort: number;
}

test('tracers of the driver see the script calls and their ends', async () => {
  const client = scope.client();
  const lock = client.getLock(scope.name());
  await lock.using(() => undefined);
  const seen: string[] = [];
  const channel = tracingChannel('ioredis:command');
  const subscriber = {
    start: ({ command, args, serverPort }: Seen) =>
      seen.push(`${command} of ${args.includes(lock.name)} at ${serverPort}`),
    asyncEnd: ({ command }: { command: string }) => seen.push(`${command} ended`),
  };
  channel.subscribe(subscriber as never);
  onTestFinished(() => channel.unsubscribe(subscriber as never));

  await lock.using(() => undefined);

  const begun = `evalsha of true at ${new URL(redisUrl()).port}`;
  expect(seen).toEqual([begun, 'evalsha ended', begun, 'evalsha ended']);
});
