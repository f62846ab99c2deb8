/** A waiter with a place in a queue on the server shows a sign of life at least this often: after 4 s
 * of silence its place is lost. */
export const HEARTBEAT_MS = 1_300;

/** How soon a waiter looks again after a message that came together with a grant. */
export const SECOND_POLL_MS = 50;

/** A waiter looks again at least this often, whatever messages say. */
export const RECHECK_MAX_MS = 5_000;
