// A client that is closed leaves no timer behind.

import { expect, test } from 'vitest';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { controlPlan } from './control.js';
import { OBJECT, World } from './world.js';

const lua = await LuaEngine.load();

test('a client that has just passed a lock on closes without a timer', async () => {
  const world = new World(lua, 1, controlPlan(1).terms, () => {});
  const { timeline, clients } = world;
  const [one, other] = [clients[0]!, clients[1]!];
  const story = async (): Promise<void> => {
    const held = await one.client.getLock(OBJECT).acquire();
    const waiting = other.client.getLock(OBJECT).acquire();
    await world.sleep(other, 50);
    await held.release();
    await (await waiting).release();
    await world.close(one);
  };
  let isOver = false;
  void story().then(() => {
    isOver = true;
  });

  await timeline.run(10_000, () => isOver);

  expect(isOver).toBe(true);
  expect(world.recorder.surprises).toEqual([]);
  expect(one.process.pendingTimers).toBe(0);
});
