// What a property is: a sentence, the kinds of objects that it is about, and its checker.

import type { History, Kind, Operation, Violation } from '../history.js';
import type { Bounds } from './bounds.js';

interface Checked {
  /** How many were looked at: objects, calls or holds. With none of them nothing was shown. */
  readonly checked: number;
  readonly violations: readonly Violation[];
}

/** What is checked; the operations and claims are those of the kinds of the property. */
export interface Scope {
  readonly history: History;
  readonly bounds: Bounds;
  readonly property: string;
  readonly kinds: ReadonlySet<Kind>;
}

export type Checker = (scope: Scope) => Checked;

export interface Property {
  readonly name: string;
  readonly kinds: readonly Kind[];
  readonly check: Checker;
}

/** The operations of the kinds in question. */
export function operationsOf({ history, kinds }: Scope): Operation[] {
  return history.operations.filter(({ kind }) => kinds.has(kind));
}
