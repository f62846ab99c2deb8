import { expect, test } from 'vitest';
import { CommandConnection } from '../../src/core/connection/command-connection.js';
import { fakeClock } from '../support/fake-clock.js';

test('a call that comes after the end of a connection fails, after its caller went on', async () => {
  const connection = new CommandConnection(
    { options: {}, readyLimitMs: 1_000 },
    { clock: fakeClock() } as never,
    { answerLimitMs: 1_000, health: { up: () => {} } } as never,
  );
  const told: unknown[] = [];
  const call = { routingKey: 'key', fail: (error: Error) => told.push(error) } as never;
  const closed = new Error('closed');
  connection.close(closed);

  connection.send(call);
  expect(told).toEqual([]);
  await Promise.resolve();

  expect(told).toEqual([closed]);
});
