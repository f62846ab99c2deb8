import type { Delivery } from '../delivery/delivery.js';
import type { Command } from '../wire/call.js';
import type { DeclaredNumber } from './declared-number.js';
import type { NumberView } from './statements.js';

/** What is looked at. */
interface Viewed<V extends NumberView> {
  readonly resource: string;
  readonly number: DeclaredNumber<V> | undefined;
  inspect(): Command<V>;
}

/** The state of a semaphore, by a read, or by the answer to the statement of its number where one is due, as where
 * the semaphore is gone. */
export async function viewPermits<V extends NumberView>(
  delivery: Delivery,
  object: Viewed<V>,
): Promise<V> {
  const { resource, number } = object;
  if (number === undefined) {
    return await delivery.read(resource, object.inspect());
  }
  if (number.isDue && !number.isUnderWay) {
    return await number.view();
  }
  const agreed = number.before();
  if (agreed !== undefined) {
    await agreed;
  }
  const view = await delivery.read(resource, object.inspect());
  if (!view.exists) {
    return await number.view(true);
  }
  const error = number.judge(view);
  if (error !== undefined) {
    throw error;
  }
  return view;
}
