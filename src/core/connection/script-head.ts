import { headOf, type Head } from './wire.js';

/** A script, by its digest and its source. */
export interface Known {
  readonly sha1: string;
  readonly source: string;
}

/** By digest. */
const heads = new Map<string, Head>();

/** The first parts of the call of a script. */
export function scriptHead({ sha1, source }: Known, isKnown: boolean): Head {
  if (!isKnown) {
    return headOf(['eval', source]);
  }
  let head = heads.get(sha1);
  if (head === undefined) {
    head = headOf(['evalsha', sha1]);
    heads.set(sha1, head);
  }
  return head;
}
