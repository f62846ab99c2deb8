// Scenario 1: whoever waits gets in by the other side's message.

import { describe, expect, test } from 'vitest';
import { listening } from '../faults/world.js';
import { interopWorlds, stopTimers } from './world.js';

const open = interopWorlds('wake-ups');

describe('a lock that Java holds', () => {
  test('Node gets in when Java unlocks, by the message alone', async (context) => {
    stopTimers();
    const { name, java, node } = await open(context);
    const thread = java.thread('holder');
    await thread.call('lock.lock', name);
    const waiting = node.getLock(name).acquire();
    await listening(name);
    await thread.call('lock.unlock', name);
    const hold = await waiting;
    expect(hold.isHeld).toBe(true);
    await hold.release();
  });
});
