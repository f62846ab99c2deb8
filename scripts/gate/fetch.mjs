// @ts-check
// What has to be fetched is fetched before the tests that need it, with three attempts. A network that fails three
// times is no failure of the commit: what needs it is skipped, and named. A version that does not exist, a checksum
// or a lock file that does not fit is a failure. Node.js built-ins only: it runs before anything is installed.

/** Before the second and the third attempt. */
const PAUSES_MS = [2_000, 10_000];

/** What is left for the fetches of this process, all together: a registry that hangs would take longer than a gate. */
const ALL = { leftMs: 15 * 60_000, hasFailed: false };

/** How npm, Maven, pip and apt report a connection that was refused, broken or too slow, or a server that is not well. */
const NETWORK =
  /\b(?:ECONNRESET|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|EPIPE|ENETUNREACH|EHOSTUNREACH|E[A-Z]*TIMEOUT|ERR_SOCKET_TIMEOUT|ERR_STREAM_PREMATURE_CLOSE|FETCH_ERROR|E5\d\d|5\d\d +(?:Internal Server Error|Bad Gateway|Service Unavailable|Gateway Time-?out)|status(?: code)?:? 5\d\d|Connection (?:refused|reset|timed out)|Read timed out|connect timed out|Temporary failure (?:in name resolution|resolving)|Unknown host|UnknownHostException|Could not connect|Unable to connect|socket hang up|network timeout|No route to host|Network is unreachable|Remote host terminated the handshake|Premature end of Content-Length)\b/i;

/** What another attempt would not change, whatever the network did meanwhile. */
const FINAL =
  /\b(?:EINTEGRITY|ETARGET|E404|EUSAGE|COMPILATION ERROR|Could not find artifact|checksum)\b/i;

/** It cannot be fetched now; `reason` is one line. */
export class FetchError extends Error {
  /** @param {string} what @param {string} reason */
  constructor(what, reason) {
    super(`could not fetch ${what}: ${reason}`);
    this.name = 'FetchError';
    this.reason = reason;
  }
}

/**
 * The line of an output that says that the network has failed.
 *
 * @param {string} output
 * @returns {string | undefined}
 */
export function networkFailure(output) {
  if (FINAL.test(output)) {
    return undefined;
  }
  const line = output.split('\n').find((each) => NETWORK.test(each));
  return line?.trim().slice(0, 160);
}

/**
 * Runs what fetches, up to three times.
 *
 * @param {string} what
 * @param {(timeoutMs: number) => Promise<{ code: number, output: string, timedOut?: boolean }>} step
 * @param {object} [options]
 * @param {number} [options.limitMs] for an attempt; none takes longer than what is left for all fetches
 * @param {number[]} [options.pausesMs] before each further attempt, where the network has not failed for another fetch
 *   already
 * @param {typeof ALL} [options.all]
 * @returns {Promise<void>}
 * @throws {FetchError} where the network has failed each time, or has taken too long
 * @throws {Error} where another attempt would be in vain
 */
export async function fetched(
  what,
  step,
  { limitMs = Infinity, pausesMs = PAUSES_MS, all = ALL } = {},
) {
  const pauses = all.hasFailed ? [] : pausesMs;
  for (const pauseMs of [...pauses, undefined]) {
    if (all.leftMs <= 0) {
      throw new FetchError(what, 'all fetches together took too long');
    }
    const startedAt = performance.now();
    const { code, output, timedOut = false } = await step(Math.min(limitMs, all.leftMs));
    all.leftMs -= performance.now() - startedAt;
    if (code === 0) {
      return;
    }
    const reason = timedOut ? 'it took too long' : networkFailure(output);
    if (reason === undefined) {
      throw new Error(`${what} was not installed, exit code ${code}:\n${output.trimEnd()}`);
    }
    if (pauseMs === undefined) {
      all.hasFailed = true;
      throw new FetchError(what, reason);
    }
    console.log(`${what}: ${reason}; another attempt in ${pauseMs / 1_000} s`);
    await new Promise((resolve) => {
      setTimeout(resolve, pauseMs);
    });
  }
}

/**
 * Fetches what a check needs.
 *
 * @param {string} name
 * @param {() => Promise<void>} fetch
 * @returns {Promise<{ name: string, reason: string }[]>} what could not be fetched
 */
export async function missingOf(name, fetch) {
  try {
    await fetch();
    return [];
  } catch (error) {
    if (error instanceof FetchError) {
      console.log(error.message);
      return [{ name, reason: error.reason }];
    }
    throw error;
  }
}
