import { PRODUCT_NAME } from '../base/constants.generated.js';
import type { Endpoint } from './driver-types.js';

/** A server refuses these characters in the name of a connection. */
const REFUSED = /[^!-~]/gu;

/**
 * The same endpoint, whose connections the server lists as `redlatch:<label>`, unless the template names them. The
 * driver sends the name while it connects, and ignores an answer that refuses it.
 */
export function labelled<E extends Endpoint>(endpoint: E, label: string): E {
  const { options } = endpoint;
  // An instance without a name has a null.
  const given: unknown = options.connectionName;
  const isNamed = typeof given === 'string' && given !== '';
  const connectionName = `${PRODUCT_NAME}:${label.replaceAll(REFUSED, '_')}`;
  return isNamed ? endpoint : { ...endpoint, options: { ...options, connectionName } };
}
