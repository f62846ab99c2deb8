import { testModel } from './seeds.js';
import { semaphoreCommands } from './semaphore-commands.js';
import { check, finish } from './semaphore-model.js';
import { worlds } from './world.js';

testModel('permits are neither lost nor doubled, whatever the network does', {
  worlds: await worlds('semaphore-model'),
  commands: semaphoreCommands,
  setup: (world) => ({
    model: {
      available: undefined,
      mark: undefined,
      mayBeStated: false,
      hasMore: false,
      made: 0,
      total: 0,
      told: new Map<number, number[]>(),
      isDeleted: false,
      grants: [],
      waiters: [],
    },
    real: Object.assign(world, {
      grants: [],
      waiters: [],
      news: [],
      numbers: new Map<number, number>(),
    }),
  }),
  check,
  finish,
});
