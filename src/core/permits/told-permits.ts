import { PermitsMismatchError } from '../../errors.js';
import type { Events, ObjectEvent } from '../observe/events.js';
import { Refused, type Command } from '../wire/call.js';
import type { CheckedSetting } from './permits-setting.js';

/** A client remembers what it was told of so many names, and then forgets the one told longest ago.
 * An object that was told itself tells it again then, as if the name had never been used. */
const NAMES_MAX = 10_000;

/** Of so many settings of a name a client remembers that they were compared. */
const SETTINGS_MAX = 8;

/** What stands before the note about the setting in an answer. */
const NOTE = '!';

/** A semaphore. */
interface Configured extends ObjectEvent {
  readonly key: string;
  /** The setting of the object that makes the call, for a name that was forgotten. */
  readonly told: CheckedSetting | undefined;
}

/** What a client was told of one name. */
interface Told {
  readonly setting: CheckedSetting;
  /** The setting was not compared with the semaphore yet, or in vain: the next call carries it. */
  isDue: boolean;
  /** The client has neither made nor seen a semaphore of that name: it makes one. */
  readonly makes: boolean;
  /** The settings that were compared: none of them is due again. The last one comes last. */
  readonly compared: readonly CheckedSetting[];
}

/** The setting that one call carries to the server. */
export interface CarriedSetting {
  /** As the scripts read it. */
  readonly text: string;
  /** The same command, of whose answer the note about the setting is taken. */
  carriedBy<R>(command: Command<R>): Command<R>;
}

/** A command as it is, or one of whose answer the note about a setting is taken. */
export function noted<R>(command: Command<R>, carried: CarriedSetting | undefined): Command<R> {
  return carried === undefined ? command : carried.carriedBy(command);
}

/**
 * The numbers of permits that one client was told when its semaphores were made, by key.
 *
 * The first call of a name carries its number to the server, and makes the semaphore when there is
 * none. Until a first answer has come, so do other calls: they are kept in order, and what was set
 * once is not set again. After it no call does: a semaphore that is deleted later stays so. Another
 * number told later is compared once, and makes nothing; to tell one again that was compared does
 * nothing, so that objects with two numbers do not take turns.
 */
export class ToldPermits {
  readonly #events: Events;
  readonly #told = new Map<string, Told>();
  /** By key, how many calls of this client that change the number by themselves are under way. */
  readonly #changes = new Map<string, number>();

  constructor(events: Events) {
    this.#events = events;
  }

  /** The last setting that is told of a name, and was not compared before, counts. */
  tell(key: string, setting: CheckedSetting): void {
    const told = this.#told.get(key);
    // The name becomes the last to be forgotten.
    this.#told.delete(key);
    this.#told.set(key, told === undefined ? first(setting) : next(told, setting));
    if (this.#told.size > NAMES_MAX) {
      const [oldest] = this.#told.keys();
      this.#told.delete(oldest ?? '');
    }
  }

  /** True when the client was told a number for this name, by any of its objects. */
  knows(key: string): boolean {
    return this.#told.size > 0 && this.#told.has(key);
  }

  /** True when the client was told a number, and has made or seen a semaphore of that name. */
  hasSeen(key: string): boolean {
    return this.#told.get(key)?.makes === false;
  }

  /**
   * The setting that the next call has to carry, mostly none. None either while the caller's own
   * changes of the number are under way, since it would undo them; with `error` it is carried even
   * then, so that nobody gets in unseen. `isChange`: the call is such a change itself.
   */
  carry(object: Configured, isChange = false): CarriedSetting | undefined {
    if (object.told !== undefined && !this.knows(object.key)) {
      this.tell(object.key, object.told);
    }
    const told = this.#told.size === 0 ? undefined : this.#told.get(object.key);
    if (told?.isDue !== true) {
      return undefined;
    }
    const { count, onMismatch } = told.setting;
    const others = (this.#changes.get(object.key) ?? 0) - Number(isChange);
    if (others > 0 && onMismatch !== 'error') {
      return undefined;
    }
    return {
      text: `${onMismatch} ${Number(told.makes)} ${count}`,
      carriedBy: (command) => this.#noted(command, object, told),
    };
  }

  /** Runs a call of this client that changes the number of permits by itself. */
  async changing<T>(key: string, work: () => Promise<T>): Promise<T> {
    this.#changes.set(key, (this.#changes.get(key) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.#changes.get(key) ?? 1) - 1;
      if (left > 0) {
        this.#changes.set(key, left);
      } else {
        this.#changes.delete(key);
      }
    }
  }

  /** The caller has set a number itself, which wins. */
  overruled(key: string): void {
    const setting = this.#told.get(key)?.setting;
    if (setting !== undefined) {
      this.#seen(key, setting);
    }
  }

  /** The caller has found that there is a semaphore: it is compared, but never made. */
  found(key: string): void {
    this.#seen(key);
  }

  /** The server had more permits than were stated, and has put that right. */
  exceeded({ key, resource, kind }: Configured, permits: number): void {
    const told = this.#told.get(key);
    if (told !== undefined) {
      this.#events.emit('configured', { resource, kind, permits, wanted: told.setting.count });
    }
  }

  /** There is a semaphore, and `setting`, if given, was compared with it. */
  #seen(key: string, setting?: CheckedSetting): void {
    const told = this.#told.get(key);
    if (told !== undefined) {
      this.#told.set(key, {
        setting: told.setting,
        isDue: told.isDue && told.setting !== setting,
        makes: false,
        compared: setting === undefined ? told.compared : withLast(told.compared, setting),
      });
    }
  }

  #noted<R>({ script, operands }: Command<R>, object: Configured, told: Told): Command<R> {
    const decode = (reply: unknown): R | Refused => {
      const [answer, note] = parted(reply);
      const permits = note === undefined || note === '' ? undefined : Number(note);
      if (permits !== undefined && told.setting.onMismatch === 'error') {
        return new Refused(mismatch(object.resource, permits, told.setting.count));
      }
      const decoded = script.decode(answer);
      if (note !== '') {
        this.#compared(object, told, permits);
      }
      return decoded;
    };
    return { script: { ...script, decode }, operands };
  }

  /** A call has compared a setting; `permits`: the other number that the server has. */
  #compared({ key, resource, kind }: Configured, told: Told, permits: number | undefined): void {
    const now = this.#told.get(key);
    if (permits !== undefined && now?.setting !== told.setting) {
      // Another setting was told meanwhile: that of this call may be told again, and is due then.
      this.found(key);
      return;
    }
    if (permits !== undefined && now?.isDue === true) {
      this.#events.emit('configured', { resource, kind, permits, wanted: told.setting.count });
    }
    this.#seen(key, told.setting);
  }
}

function first(setting: CheckedSetting): Told {
  return { setting, isDue: true, makes: true, compared: [] };
}

function next(told: Told, setting: CheckedSetting): Told {
  const isKnown = [told.setting, ...told.compared].some((known) => isSame(known, setting));
  return isKnown ? told : { ...told, setting, isDue: true };
}

function isSame(one: CheckedSetting, other: CheckedSetting): boolean {
  return one.count === other.count && one.onMismatch === other.onMismatch;
}

function withLast(all: readonly CheckedSetting[], last: CheckedSetting): CheckedSetting[] {
  return [...all.filter((setting) => setting !== last), last].slice(-SETTINGS_MAX);
}

/** An answer, and the note about the setting behind it: undefined without one, empty when there was
 * nothing to compare. */
function parted(reply: unknown): [answer: unknown, note: string | undefined] {
  const end = typeof reply === 'string' ? reply.lastIndexOf(NOTE) : -1;
  return typeof reply === 'string' && end >= 0
    ? [reply.slice(0, end), reply.slice(end + 1)]
    : [reply, undefined];
}

function mismatch(resource: string, permits: number, wanted: number): PermitsMismatchError {
  const message = `"${resource}" has ${permits} permits, and this client was told ${wanted}`;
  return new PermitsMismatchError(message, permits, wanted, { resource });
}
