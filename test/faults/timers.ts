// The timers that the library has set and that are still to fire, unreferenced ones included.

import { createHook } from 'node:async_hooks';

export interface TimerWatch {
  /** Where each living timer was set. */
  readonly alive: () => string[];
  readonly stop: () => void;
}

/** Counts timers that are set from now on. */
export function watchTimers(): TimerWatch {
  const timers = new Map<number, string>();
  const hook = createHook({
    init: (id, type) => {
      if (type === 'Timeout') {
        const { stack = '' } = new Error('a timer was set');
        if (stack.includes('/src/core/base/clock')) {
          timers.set(id, stack);
        }
      }
    },
    destroy: (id) => {
      timers.delete(id);
    },
  }).enable();
  return {
    alive: () => [...timers.values()],
    stop: () => {
      hook.disable();
    },
  };
}
