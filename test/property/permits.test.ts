import { permitsCommands } from './permits-commands.js';
import { check, finish } from './permits-model.js';
import { testModel } from './seeds.js';
import { worlds } from './world.js';

testModel('leased permits come back or are told to be lost, whatever the network does', {
  worlds: await worlds('permits-model'),
  commands: permitsCommands,
  setup: (world) => ({
    model: { total: undefined, lowest: 0, permits: [], waiters: [] },
    real: Object.assign(world, { permits: [], waiters: [], news: [] }),
  }),
  check,
  finish,
});
