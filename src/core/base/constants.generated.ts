// Generated from lua/ by `node scripts/generate-scripts.mjs`: change the Lua, not this file.

/** The product: private keys and channels begin with it. */
export const PRODUCT_NAME: string = 'redlatch';

/** Milliseconds without a heartbeat after which a waiter loses its entry in a wait queue. */
export const ABSENT_MS: number = 4000;

/** Milliseconds after the last counted call for which the answers of such calls are kept. */
export const RECORD_MS: number = 1800000;

/** Milliseconds after an ask for which a client that is not seen to listen can be granted a lock. */
export const UNSEEN_MS: number = 1000;

/** and left to those who stand in no line for so long. */
export const STAND_BACK_MS: number = 3;

/** Each grant to a client in the line of a fenced lock has so many tokens. */
export const TOKEN_BLOCK: number = 16;

/** The first bytes of the id of a permit name the client that has acquired it. */
export const PERMIT_CLIENT_BYTES: number = 8;

/** The oldest Redis that runs all scripts: it brought HRANDFIELD, HRANDFIELD with WITHVALUES, ZMSCORE. */
export const OLDEST_REDIS: string = '6.2';
