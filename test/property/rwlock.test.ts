import { rwlockCommands } from './rwlock-commands.js';
import { check, finish } from './rwlock-model.js';
import { testModel } from './seeds.js';
import { worlds } from './world.js';

testModel('readers and writers keep to the model, whatever the network does', {
  worlds: await worlds('rwlock-model'),
  commands: rwlockCommands,
  maxCommands: 40,
  setup: (world) => ({
    model: { holds: [], waiters: [], groups: 0 },
    real: Object.assign(world, { holds: [], waiters: [], grants: [] }),
  }),
  check,
  finish,
});
