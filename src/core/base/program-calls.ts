// The only file that runs code of the program which did not call: listeners of events and signals, what listens to
// warnings, and functions that give something.

import { outside, soon } from './async-context.js';

type Run = () => void;

/** Calls that are still to be made, of all clients, in their order. */
let waiting: Run[] = [];

/**
 * Makes a call in a microtask of its own, in the order of all such calls. A listener may do anything: abort a
 * waiter that is being granted, close the client. So nothing of it runs in the middle of a state change.
 */
export function callLater(call: Run): void {
  if (waiting.push(call) === 1) {
    soon(callAll);
  }
}

function callAll(): void {
  const calls = waiting;
  let made = 0;
  try {
    // A call may cause others, which come behind it.
    for (; made < calls.length; made += 1) {
      calls[made]?.();
    }
    waiting = [];
  } finally {
    if (made < calls.length) {
      // This one has thrown: the others are made all the same.
      waiting = calls.slice(made + 1);
      soon(callAll);
    }
  }
}

/** Emits an event to the listeners that there are then, unless it is not `true` any more. */
export function emitLater<E extends string>(
  emitter: { emit(event: E, payload: unknown): unknown },
  event: E,
  payload: unknown,
  isTrue: () => boolean = () => true,
): void {
  callLater(() => {
    if (isTrue()) {
      emitter.emit(event, payload);
    }
  });
}

/**
 * Aborts a signal, just after a call of ours. Its listeners run outside of every context: the code that causes it is
 * not theirs.
 */
export function abortLater(controller: AbortController, reason: unknown, before?: Run): void {
  callLater(() => {
    before?.();
    outside(() => controller.abort(reason));
  });
}

/** The same for a signal to which nobody can listen yet. */
export function abortUnheard(controller: AbortController, reason: unknown): void {
  controller.abort(reason);
}

/** Calls a function that gives something, outside of every context. */
export function requestLater<T>(give: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve) => {
    callLater(() => resolve(outside(async () => await give())));
  });
}

/** Emits a warning of the process. */
export function warnLater(text: string, code: string): void {
  callLater(() => process.emitWarning(text, { type: 'RedlatchWarning', code }));
}
