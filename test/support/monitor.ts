// A connection that sees every command that a server runs.

import type { Redis } from 'ioredis';

/** Called with the words of each command and where it comes from: an address, or `lua`. */
type Listener = (words: string[], origin: string) => void;

/** Watches the server over a connection of its own, which serves for nothing else from then on. */
export async function watchCommands(monitor: Redis, listener: Listener): Promise<void> {
  monitor.on('monitor', (_: string, words: string[], origin: string) => listener(words, origin));
  await monitor.ping();
  const started = monitor.call('MONITOR');
  // The driver's own `monitor()` takes commands that come right behind the answer for answers.
  Object.assign(monitor, { status: 'monitoring' });
  await started;
}
