// Minutes after the last fault nobody waits any more: no two wait for each other.

import type { Operation, Violation } from '../history.js';
import { operationsOf, type Checker } from './property.js';
import { at, isThere, nameOf } from './spans.js';

export const checkThrough: Checker = (scope) => {
  const { history, property } = scope;
  const { quietAt } = history;
  const operations = operationsOf(scope).filter(
    ({ client, calledAt }) => calledAt < quietAt && isThere(history, client, quietAt),
  );
  const violations = operations
    .filter(({ returnedAt }) => returnedAt > quietAt)
    .map(({ action, calledAt, object, ...one }: Operation): Violation => {
      const text = `${nameOf(one)}: ${action}, called at ${at(calledAt)}, had not returned at ${at(quietAt)}`;
      return { property, object, at: calledAt, text };
    });
  return { checked: operations.length, violations };
};
