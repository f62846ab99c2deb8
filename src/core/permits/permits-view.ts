import type { Delivery } from '../delivery/delivery.js';
import type { Request } from '../delivery/requests.js';
import type { Command } from '../wire/call.js';
import type { CarriedSetting } from './told-permits.js';

/** The commands by which a semaphore is looked at. */
interface Viewed<V> {
  readonly resource: string;
  readonly key: string;
  absent(): void;
  carried(): CarriedSetting | undefined;
  inspect(): Command<V>;
  configure(request: Request, carried: CarriedSetting): Command<V>;
}

/** The state of a semaphore, by a read, or by a counted call while there is a setting to carry, as
 * where the semaphore is gone; `setTombstone` is for a call that is given up. */
export async function viewPermits<V extends { readonly exists: boolean }>(
  delivery: Delivery,
  semaphore: Viewed<V>,
  setTombstone: (request: Request) => Command<unknown>,
): Promise<V> {
  const { resource, key } = semaphore;
  let carried = semaphore.carried();
  if (carried === undefined) {
    const view = await delivery.read(resource, semaphore.inspect());
    if (view.exists) {
      return view;
    }
    semaphore.absent();
    carried = semaphore.carried();
    if (carried === undefined) {
      return view;
    }
  }
  const stated = carried;
  const configure = (request: Request): Command<V> => semaphore.configure(request, stated);
  const tombstone = { setTombstone, always: false };
  return (await delivery.sendOnce(resource, key, configure, tombstone)).answer;
}
