/** Owns what was granted to a waiter that was never told, until somebody frees the lock by force. Who that
 * waiter was makes no difference: nobody releases such a hold, and nobody enters it again. */
export const UNTOLD = 'nobody who knows';
