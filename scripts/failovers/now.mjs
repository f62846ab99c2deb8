// @ts-check

/** Milliseconds of the monotonic clock, which is one for all processes of a machine. */
export const now = () => Number(process.hrtime.bigint()) / 1e6;
