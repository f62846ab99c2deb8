// The calls that take a grant to another client, where its kind has them.

import type { Detachable } from '../../src/core/grant/detachable.js';
import type { RenewalItem } from '../../src/core/lease/renewal.js';
import type { Command } from '../../src/core/wire/call.js';

export function handOvers(
  { detachable }: { readonly detachable?: Detachable | undefined },
  item: RenewalItem,
  to: string,
): Command<unknown>[] {
  const { holderId: from } = item;
  return detachable === undefined
    ? []
    : [detachable.detach(item), detachable.adopt(from, to, 1), detachable.putBack(from, to)];
}
