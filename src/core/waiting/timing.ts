/** A waiter with an entry in a wait queue on the server sends a heartbeat at least this often:
 * after 4 s without one its entry is removed. */
export const HEARTBEAT_MS = 1_300;

/** A client that the server does not see listen, or not yet, finds a grant by asking this often. */
export const UNSEEN_RECHECK_MS = 250;

/** How soon a waiter polls again after a wake-up that came together with a grant. */
export const SECOND_POLL_MS = 50;

/** A waiter polls at least this often, whatever wake-ups it gets. */
export const RECHECK_MAX_MS = 5_000;

/** After this time at the head a waiter for permits is passed over: its client enters the wait
 * queue. */
export const PASSED_OVER_MS = 5_000;
