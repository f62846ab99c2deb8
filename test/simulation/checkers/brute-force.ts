// An order is looked for in the simplest way: all of them are tried.

import type { Call, Model } from './linearizability.js';

export function bruteForce<State, Act>(
  model: Model<State, Act>,
  calls: readonly Call<Act>[],
): boolean {
  const tryFrom = (state: State, order: readonly Call<Act>[]): boolean => {
    const since = model.since?.(state) ?? Number.NEGATIVE_INFINITY;
    const isWhole = calls.every((call) => call.isOptional || order.includes(call));
    if (isWhole) {
      return true;
    }
    return calls.some((call) => {
      const isLate = call.until < since || order.some((before) => call.until < before.from);
      if (order.includes(call) || isLate) {
        return false;
      }
      const next = model.step(state, call.act, call.until);
      return next !== undefined && tryFrom(next, [...order, call]);
    });
  };
  return tryFrom(model.initial, []);
}
