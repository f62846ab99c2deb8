import { warnLater } from '../base/program-calls.js';
import { Recent } from '../base/recent.js';
import type { Announcer } from './troubles.js';

/** What a person can do about a trouble, by the text of its cause. The first that fits counts. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/^credentials for /, 'See the function that was given as "credentials"'],
  [
    /^redis\.credentialsProvider for /,
    'See the credentialsProvider of the client that was given as "redis"',
  ],
  [/WRONGPASS|invalid password/, 'Check user name and password in the "redis" option'],
  [/NOAUTH/, 'The server wants a password: put it into the "redis" option'],
  [/NOPERM/, 'Give the user the rights that the documentation of connections lists'],
  [
    /command ['`]?WAIT\b/i,
    'Without WAIT nothing shows what replicas have: leave out the "replicas" option',
  ],
  [/DB index|SELECT is not allowed/, 'Check the database in the "redis" option'],
  [/^DENIED/, 'The server is in protected mode: set a password on it, or bind it to an address'],
  [/cluster support disabled/, 'This server is no cluster: give its URL, not a Cluster'],
  [/ECONNREFUSED/, 'Is a Redis running there? Check the "redis" option and REDIS_URL'],
  [/ENOTFOUND|EAI_AGAIN/, 'Check the host name in the "redis" option'],
  [
    /max number of clients/,
    'Raise maxclients on the server, or close connections that nobody uses',
  ],
  [/certificate|TLS|SSL/i, 'Check the "tls" settings in the "redis" option'],
  [/^this server cannot be used/, 'Upgrade it, or give the address of another one'],
  [/READONLY/, 'Is this the address of a replica? Give that of the master'],
  [/LOADING/, 'The server is loading its data: nothing has to be done'],
  [/OOM|MISCONF|NOREPLICAS/, 'The server takes no writes until its operator mends that'],
];

const OTHERWISE = 'Check the "redis" option, and the network in between';

/** A failure, and what a person can do about it. */
export function withAdvice({ message }: Error): string {
  const advice = ADVICE.find(([cause]) => cause.test(message))?.[1] ?? OTHERWISE;
  return `${message.replace(/\.+$/, '')}. ${advice}`;
}

function seconds(ms: number): string {
  return `${Math.max(1, Math.round(ms / 1_000))} s`;
}

/** Re-entries by scope that outlived the hold around them: mostly they belong to somebody else. */
export class StrayReentries {
  readonly #names = new Recent(() => ({ isTold: false }));

  /** Warns, once a name, if a hold that is over is outlived by such a re-entry. */
  check({
    lockName,
    isOutlived,
  }: {
    readonly lockName: string;
    readonly isOutlived: boolean;
  }): void {
    if (!isOutlived) {
      return;
    }
    const name = this.#names.get(lockName);
    if (name.isTold) {
      return;
    }
    name.isTold = true;
    const text =
      `"${lockName}" was re-entered by an async scope, and the re-entry outlived the hold around it. ` +
      'Probably the work of another request ran in that scope, together with its owner: a queue, pool, ' +
      'timer or listener that is made or woken inside a scope keeps it. Hand such work over with ' +
      "AsyncResource.bind, acquire with { within: null }, or make the client with { reentry: 'explicit' }";
    warnLater(text, 'REDLATCH_SCOPE');
  }
}

/** Tells by warnings of the process, which are written to its error output by default. */
export function warnings(isHeard: () => boolean, failed: (error: Error) => void): Announcer {
  return {
    isHeard,
    began(what, cause) {
      const rest = 'calls wait or fail until that is over; listen to "error" to handle it yourself';
      warnLater(`${what}: ${withAdvice(cause)}; ${rest}`, 'REDLATCH_TROUBLE');
    },
    report(what, cause) {
      failed(new Error(`${what}: ${withAdvice(cause)}`, { cause }));
    },
    over(what, lastedMs) {
      warnLater(`over after ${seconds(lastedMs)}: ${what}`, 'REDLATCH_TROUBLE_OVER');
    },
  };
}
