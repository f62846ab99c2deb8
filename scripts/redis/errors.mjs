// @ts-check

/** No Redis could be found or started; the message says what to do about it. */
export class RedisUnavailableError extends Error {
  /** @readonly */
  code = 'ERR_REDIS_UNAVAILABLE';

  /**
   * @param {string} message
   * @param {unknown} [cause]
   */
  constructor(message, cause) {
    super(message, { cause });
    this.name = 'RedisUnavailableError';
  }
}
