import { expect } from 'vitest';
import type { Client } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';

/** The steps that a monitor has seen. */
interface Taken {
  take(): Promise<readonly string[]>;
}

/**
 * Waits until a waiter of Node sleeps: it has asked, listens, and has asked since. Nothing of its own makes it
 * ask once more, so that further questions of its client find no more steps.
 *
 * @param listens false: a waiter of Node is before it, of whose end it is notified on its own channel
 */
export async function untilAsleep(steps: Taken, node: Client, listens = true): Promise<void> {
  const made: string[] = [];
  await eventually(
    async () => {
      made.push(...(await steps.take()));
      expect(made).toContain(listens ? 'node listens' : 'node asks');
      expect(made.lastIndexOf('node asks')).toBeGreaterThan(made.lastIndexOf('node listens'));
      for (let i = 0; i < 5; i += 1) {
        await node.getLock('another').isLocked();
        const more = await steps.take();
        made.push(...more);
        expect(more).toEqual([]);
      }
    },
    { withinMs: 20_000 },
  );
  expect(made.filter((step) => step !== 'node asks' && step !== 'node listens')).toEqual([]);
}
