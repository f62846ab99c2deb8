import { tracingChannel } from 'node:diagnostics_channel';
import { expect, onTestFinished, test } from 'vitest';
import { testScope } from '../../support/scope.js';

const scope = testScope('traced');

test('tracers of the driver see the script calls and their ends', async () => {
  const client = scope.client();
  const lock = client.getLock(scope.name());
  await lock.using(() => undefined);
  const seen: string[] = [];
  const channel = tracingChannel('ioredis:command');
  const subscriber = {
    start: ({ command, args }: { command: string; args: readonly string[] }) =>
      seen.push(`${command} of ${args.includes(lock.name)}`),
    asyncEnd: ({ command }: { command: string }) => seen.push(`${command} ended`),
  };
  channel.subscribe(subscriber as never);
  onTestFinished(() => channel.unsubscribe(subscriber as never));

  await lock.using(() => undefined);

  expect(seen).toEqual(['evalsha of true', 'evalsha ended', 'evalsha of true', 'evalsha ended']);
});
