import type { Announcer } from './troubles.js';

/** What a person can do about a trouble, by the text of its cause. The first that fits counts. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/WRONGPASS|invalid password/, 'Check user name and password in the "redis" option'],
  [/NOAUTH/, 'The server wants a password: put it into the "redis" option'],
  [/NOPERM/, 'Give the user the rights that the documentation of connections lists'],
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

/** Tells by warnings of the process, which are written to its error output by default. */
export function warnings(isHeard: () => boolean, failed: (error: Error) => void): Announcer {
  const type = 'RedlatchWarning';
  return {
    isHeard,
    began(what, cause) {
      const rest = 'calls wait or fail until that is over; listen to "error" to handle it yourself';
      const text = `${what}: ${withAdvice(cause)}; ${rest}`;
      process.emitWarning(text, { type, code: 'REDLATCH_TROUBLE' });
    },
    report(what, cause) {
      failed(new Error(`${what}: ${withAdvice(cause)}`, { cause }));
    },
    over(what, lastedMs) {
      const text = `over after ${seconds(lastedMs)}: ${what}`;
      process.emitWarning(text, { type, code: 'REDLATCH_TROUBLE_OVER' });
    },
  };
}
