// What is told on a channel, heard by somebody who has nothing to do with the objects under test.

import { onTestFinished, type TestContext } from 'vitest';
import { rawClient } from './redis.js';

/**
 * Hears what is published while the test runs, from the moment this returns.
 *
 * @param channels one, or several that are heard in their true order
 * @param options.url default: the shared Redis
 * @param options.context that of the test, where tests run side by side
 * @returns the messages so far, oldest first; it grows
 */
export async function messagesOn(
  channels: string | readonly string[],
  {
    url,
    context = { onTestFinished },
  }: { url?: string; context?: Pick<TestContext, 'onTestFinished'> } = {},
): Promise<string[]> {
  const listener = rawClient(url);
  context.onTestFinished(() => {
    listener.disconnect();
  });
  const messages: string[] = [];
  listener.on('message', (_channel, message) => messages.push(message));
  await listener.subscribe(...[channels].flat());
  return messages;
}
