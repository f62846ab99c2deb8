// Whether something is still kept by anybody.

import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** How many of them are still there. */
export async function kept(refs: readonly WeakRef<object>[]): Promise<number> {
  // A reference keeps what it was made of until the end of its turn.
  await setImmediate();
  collect();
  return refs.filter((ref) => ref.deref() !== undefined).length;
}
