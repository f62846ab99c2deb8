// Generated from lua/ by `node scripts/generate-scripts.mjs`: change the Lua, not this file.

/** Milliseconds of silence after which a waiter has lost its place. */
export const ABSENT_MS: number = 4000;

/** Milliseconds for which the answers of counted calls are kept, from the last call on. */
export const RECORD_MS: number = 1800000;
