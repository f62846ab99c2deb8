import { slotOf } from '../../core/connection/slots.js';
import type { Random } from '../random.js';
import type { ClusterMap, Found } from './cluster.js';
import { COMMANDS, execute } from '../commands/commands.js';
import { Keyspace } from '../keyspace/keyspace.js';
import type { LuaEngine } from './lua.js';
import { Channels, type MessageEvent, type Session } from './channels.js';
import { ReplyError, Status, type Reply } from '../keyspace/reply.js';
import { sha1 } from './sha1.js';

const OK = new Status('OK');

/** A server has been up for so long when a run begins: eleven days. */
const UP_MS = 1e9;

/** Why the server refuses commands just now. */
export type Refusal =
  /** Every command: it loads its data. */
  | 'LOADING'
  /** Every command that writes: it is a replica. */
  | 'READONLY'
  /** Every command that may need memory. */
  | 'OOM'
  /** Every script: the user has lost the right to run them. */
  | 'NOPERM'
  /** Every script, with its source or without. */
  | 'NOSCRIPT'
  /** Every script: a proxy cannot reach the server. */
  | 'UPSTREAM'
  /** Every script: its slot is moving, and some of its keys have moved. */
  | 'TRYAGAIN'
  /** Every script: some slots have no master. */
  | 'CLUSTERDOWN';

/** These refuse a script as a whole. */
const OF_SCRIPTS: ReadonlySet<Refusal> = new Set([
  'NOPERM',
  'NOSCRIPT',
  'UPSTREAM',
  'TRYAGAIN',
  'CLUSTERDOWN',
]);

const TEXT: Readonly<Record<Refusal, string>> = {
  LOADING: 'LOADING Redis is loading the dataset in memory',
  READONLY: "READONLY You can't write against a read only replica.",
  OOM: "OOM command not allowed when used memory > 'maxmemory'.",
  NOSCRIPT: 'NOSCRIPT No matching script. Please use EVAL.',
  UPSTREAM: 'upstream failure',
  NOPERM: "NOPERM this user has no permissions to run the 'evalsha' command",
  TRYAGAIN: 'TRYAGAIN Multiple keys request during rehashing of slot',
  CLUSTERDOWN: 'CLUSTERDOWN The cluster is down',
};

/** SSUBSCRIBE, SUNSUBSCRIBE and SPUBLISH are about the channels of a slot. */
function eventOf(command: string): MessageEvent {
  return /^(?:SSUB|SUNSUB|SPUB)/u.test(command) ? 'smessage' : 'message';
}

/** A node of a cluster. */
export interface Node {
  readonly map: ClusterMap;
  readonly address: string;
}

/** A Redis server in virtual time, as far as this library uses one. */
export class Server {
  readonly keyspace: Keyspace;
  readonly channels: Channels = new Channels();
  node: Node | undefined;
  /** Each start has another one, and so has each server. */
  runId: number;
  #startedAtMs: number;
  refusal: Refusal | undefined;
  /** Channels that nobody may publish to or listen to. */
  deniesChannels = false;
  /** A command in capitals that users have no right to. */
  deniedCommand: string | undefined;
  /** What it is, it does not report. */
  hidesInfo = false;
  /** What it answers to TIME, in place of its time. */
  timeAnswer: Reply | undefined;
  /** By how much its clock is ahead of those of other nodes. */
  aheadMs = 0;
  readonly #lua: LuaEngine;
  readonly #nowMs: () => number;
  readonly #scripts = new Map<string, string>();
  /** The script that runs has called a command that writes: Redis checks its memory before the first only. */
  #hasWritten = false;

  constructor(lua: LuaEngine, nowMs: () => number, random: Random, runId = 1) {
    this.#lua = lua;
    this.#nowMs = () => nowMs() + this.aheadMs;
    this.#startedAtMs = nowMs() - UP_MS;
    this.runId = runId;
    this.keyspace = new Keyspace(this.#nowMs, random);
  }

  /** It starts again, with its data. */
  restart(): void {
    this.forgetScripts();
    this.runId += 1;
    this.#startedAtMs = this.#nowMs();
  }

  /** Runs one command of a connection. */
  handle(session: Session, argv: readonly string[]): Reply {
    const [first = '', ...args] = argv;
    const name = first.toUpperCase();
    // It counts for the next command, whatever that is.
    const { isAsking } = session;
    session.isAsking = name === 'ASKING' && this.deniedCommand !== name;
    if (this.refusal === 'LOADING') {
      return new ReplyError(TEXT.LOADING);
    }
    switch (name) {
      case 'PING':
        return new Status('PONG');
      case 'ASKING':
        return session.isAsking ? OK : this.#command(argv);
      case 'EVAL':
      case 'EVALSHA':
        return this.#script(isAsking, name, args);
      case 'SCRIPT':
        this.forgetScripts();
        return OK;
      case 'SUBSCRIBE':
      case 'SSUBSCRIBE':
        return this.#subscribe(session, name, args);
      case 'UNSUBSCRIBE':
      case 'SUNSUBSCRIBE':
        return this.channels.remove(session, eventOf(name), args);
      case 'INFO':
        return this.hidesInfo ? new ReplyError('NOPERM no INFO') : this.#info();
      case 'CLUSTER':
        return this.node?.map.slots() ?? new ReplyError(CLUSTER_OFF);
      default: {
        const reply = this.#command(argv);
        this.#hasWritten = false;
        return reply;
      }
    }
  }

  /** As a master without replicas. */
  #info(): string {
    const uptimeS = Math.floor((this.#nowMs() - this.#startedAtMs) / 1_000);
    const fields = {
      run_id: this.runId,
      server_time_usec: Math.floor(this.#nowMs() * 1_000),
      uptime_in_seconds: uptimeS,
      role: 'master',
    };
    const lines = Object.entries({ ...fields, connected_slaves: 0, second_repl_offset: -1 });
    return lines.map(([name, value]) => `${name}:${value}\r\n`).join('');
  }

  forgetScripts(): void {
    this.#scripts.clear();
  }

  #script(isAsking: boolean, name: string, args: readonly string[]): Reply {
    const [text = '', count = '0'] = args;
    const source = name === 'EVAL' ? text : this.#scripts.get(text);
    const keys = args.slice(2, 2 + Number(count));
    const redirected = this.#redirection(keys, isAsking);
    if (redirected !== undefined) {
      return new ReplyError(redirected);
    }
    const { refusal } = this;
    if (refusal !== undefined && OF_SCRIPTS.has(refusal)) {
      return new ReplyError(TEXT[refusal]);
    }
    if (source === undefined) {
      return new ReplyError(TEXT.NOSCRIPT);
    }
    if (name === 'EVAL') {
      this.#scripts.set(sha1(source), source);
    }
    const reply = this.#lua.run(source, keys, args.slice(2 + keys.length), this.#host);
    this.#hasWritten = false;
    return reply;
  }

  /** How many connections of this server listen to each of these channels. */
  #pubsub(what: string, channels: readonly string[]): Reply {
    const event = what === 'SHARDNUMSUB' ? 'smessage' : 'message';
    return channels.flatMap((channel) => [channel, this.channels.listeners(event, channel)]);
  }

  readonly #host = (argv: string[]): Reply => this.#command(argv);

  /** A command, from a script or by itself. */
  #command(argv: readonly string[]): Reply {
    const [first = '', channel = '', payload = ''] = argv;
    const name = first.toUpperCase();
    if (name === 'PUBLISH' || name === 'SPUBLISH') {
      if (this.deniesChannels) {
        return new ReplyError(
          'NOPERM this user has no permissions to access one of the channels used',
        );
      }
      if (name === 'PUBLISH') {
        this.node?.map.broadcast(this.channels, channel, payload);
      }
      return this.channels.publish(eventOf(name), channel, payload);
    }
    if (name === 'PUBSUB' && this.deniedCommand !== 'PUBSUB') {
      return this.#pubsub(channel.toUpperCase(), argv.slice(2));
    }
    if (name === 'TIME' && this.timeAnswer !== undefined) {
      return this.timeAnswer;
    }
    if (name === this.deniedCommand) {
      const text = `NOPERM this user has no permissions to run the '${first.toLowerCase()}' command`;
      return new ReplyError(text);
    }
    const { refusal } = this;
    if (refusal !== undefined) {
      const command = COMMANDS.get(name);
      const isRefused =
        (refusal === 'READONLY' && command?.isWrite === true) ||
        (refusal === 'OOM' && command?.deniesOutOfMemory === true && !this.#hasWritten);
      if (isRefused) {
        return new ReplyError(TEXT[refusal]);
      }
      this.#hasWritten ||= command?.isWrite === true;
    }
    return execute(this.keyspace, argv);
  }

  #subscribe(session: Session, name: string, channels: readonly string[]): Reply {
    if (this.deniesChannels) {
      return new ReplyError(
        'NOPERM this user has no permissions to access one of the channels used',
      );
    }
    const redirected = name === 'SSUBSCRIBE' ? this.#channelElsewhere(channels) : undefined;
    return redirected === undefined
      ? this.channels.add(session, eventOf(name), channels)
      : new ReplyError(redirected);
  }

  #redirection(keys: readonly string[], isAsking: boolean): string | undefined {
    const [key] = keys;
    if (this.node === undefined || key === undefined) {
      return undefined;
    }
    const { map, address } = this.node;
    const slot = slotOf(Buffer.from(key, 'latin1').toString());
    return map.refusal(address, slot, isAsking, this.#found(keys));
  }

  /** Channels belong to slots as keys do, and do not move before their slot has moved. */
  #channelElsewhere([channel]: readonly string[]): string | undefined {
    if (this.node === undefined || channel === undefined) {
      return undefined;
    }
    const { map, address } = this.node;
    return map.refusal(address, slotOf(Buffer.from(channel, 'latin1').toString()), false, 'all');
  }

  #found(keys: readonly string[]): Found {
    const count = keys.filter((key) => this.keyspace.has(key)).length;
    if (count === keys.length) {
      return 'all';
    }
    return count === 0 ? 'none' : 'some';
  }
}

const CLUSTER_OFF = 'ERR This instance has cluster support disabled';
