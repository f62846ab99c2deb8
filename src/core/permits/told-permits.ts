import { PermitsMismatchError } from '../../errors.js';
import type { Events, ObjectEvent } from '../observe/events.js';
import { Refused, type Command } from '../wire/call.js';
import type { CheckedSetting } from './permits-setting.js';

/** A client remembers what it was told of so many names, and then forgets the one told longest ago.
 * An object that was told itself tells it again then, as if the name had never been used. */
const NAMES_MAX = 10_000;

/** Of so many settings of a name a client remembers that they were compared. */
const SETTINGS_MAX = 8;

/** How a setting is stated: for the first time, which makes a semaphore that was deleted, too; again, which
 * makes only one that was not; or again, without being compared. */
const FIRST = 1;
const AGAIN = 2;
const ONLY_MAKES = 3;

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
  /** The next call carries the setting: it was not compared with the semaphore yet, or in vain, or the
   * semaphore is gone since. */
  readonly isDue: boolean;
  /** The client has used no semaphore of this name and number yet: it makes one that was deleted, too. */
  readonly isFirst: boolean;
  /** The semaphore that has granted permits last; another one is compared. */
  readonly semaphoreId: string | undefined;
  /** The other number of this semaphore that was reported last. */
  readonly reported: number | undefined;
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
 * once is not set again. After it a call carries the number only where the semaphore is found to be
 * gone, which makes one that was flushed, and none that was deleted. Calls that would make a
 * semaphore of another number carry it always. Another number told later is stated for the first
 * time, too; to tell one again that was compared does nothing, so that objects with two numbers do
 * not take turns.
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

  /** True when the client was told a number, and has made or seen such a semaphore. */
  hasSeen(key: string): boolean {
    return this.#told.get(key)?.isFirst === false;
  }

  /**
   * The setting that the next call has to carry, mostly none. None either while the caller's own
   * changes of the number are under way, since it would undo them; with `error` it is carried even
   * then, so that nobody gets in unseen. `isChange`: the call is such a change itself.
   */
  carry(object: Configured, isChange = false): CarriedSetting | undefined {
    const told = this.#of(object);
    if (told?.isDue !== true || this.#isChanging(object, told, isChange)) {
      return undefined;
    }
    const statement = told.isFirst ? FIRST : AGAIN;
    return {
      text: textOf(told, statement),
      carriedBy: (command) => this.#noted(command, object, told),
    };
  }

  /** The setting for a call that would make a semaphore of another number, where there is none. */
  carryAlways(object: Configured, isChange = false): CarriedSetting | undefined {
    const told = this.#of(object);
    const carried = this.carry(object, isChange);
    // Where nothing is compared, no change that is under way is undone.
    return carried === undefined && told !== undefined
      ? { text: textOf(told, ONLY_MAKES), carriedBy: withoutNote }
      : carried;
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
    const told = this.#told.get(key);
    if (told !== undefined) {
      // The semaphore that grants permits next is the caller's.
      this.#told.set(key, { ...told, semaphoreId: undefined });
      this.#seen(key, told.setting);
    }
  }

  /** There is no semaphore. */
  absent(key: string): void {
    const told = this.#told.get(key);
    if (told !== undefined) {
      this.#told.set(key, { ...told, isDue: true, semaphoreId: undefined, reported: undefined });
    }
  }

  /** Permits were granted by the semaphore with this id; `left`: the permits that it had before, where
   * nothing else is known of it. */
  granted(object: Configured, semaphoreId: string, left: number | undefined): void {
    const told = this.#told.get(object.key);
    if (told === undefined || told.semaphoreId === semaphoreId) {
      return;
    }
    const isAnother = told.semaphoreId !== undefined;
    const isDue = told.isDue || (isAnother && left === undefined);
    this.#told.set(object.key, { ...told, isDue, semaphoreId });
    if (isAnother && left !== undefined && left !== told.setting.count) {
      this.mismatched(object, left);
    }
  }

  /** The semaphore has, or had, another number of permits than was stated: that is reported once. */
  mismatched({ key, resource, kind }: Configured, permits: number): void {
    const told = this.#told.get(key);
    if (told !== undefined && told.reported !== permits) {
      this.#told.set(key, { ...told, reported: permits });
      this.#events.emit('configured', { resource, kind, permits, wanted: told.setting.count });
    }
  }

  /** There is a semaphore, and `setting` was compared with it. */
  #seen(key: string, setting: CheckedSetting): void {
    const told = this.#told.get(key);
    if (told !== undefined) {
      const isNewer = told.setting !== setting;
      this.#told.set(key, {
        ...told,
        isDue: told.isDue && isNewer,
        isFirst: told.isFirst && isNewer,
        compared: withLast(told.compared, setting),
      });
    }
  }

  /** What was told of a name, by this object too if the name was forgotten. */
  #of(object: Configured): Told | undefined {
    if (object.told !== undefined && !this.knows(object.key)) {
      this.tell(object.key, object.told);
    }
    return this.#told.size === 0 ? undefined : this.#told.get(object.key);
  }

  #isChanging({ key }: Configured, { setting }: Told, isChange: boolean): boolean {
    const others = (this.#changes.get(key) ?? 0) - Number(isChange);
    return others > 0 && setting.onMismatch !== 'error';
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
  #compared(object: Configured, told: Told, permits: number | undefined): void {
    const now = this.#told.get(object.key);
    if (permits !== undefined && now?.setting !== told.setting) {
      // Another setting was told meanwhile: that of this call may be told again, and is due then.
      return;
    }
    if (permits !== undefined && now?.isDue === true) {
      this.mismatched(object, permits);
    }
    this.#seen(object.key, told.setting);
  }
}

function first(setting: CheckedSetting): Told {
  return {
    setting,
    isDue: true,
    isFirst: true,
    semaphoreId: undefined,
    reported: undefined,
    compared: [],
  };
}

function next(told: Told, setting: CheckedSetting): Told {
  const all = [told.setting, ...told.compared];
  if (all.some((known) => isSame(known, setting))) {
    return told;
  }
  const isFirst = told.isFirst || all.every(({ count }) => count !== setting.count);
  return { ...told, setting, isDue: true, isFirst, reported: undefined };
}

function textOf({ setting: { onMismatch, count } }: Told, statement: number): string {
  return `${onMismatch} ${statement} ${count}`;
}

function withoutNote<R>({ script, operands }: Command<R>): Command<R> {
  const decode = (reply: unknown): R | Refused => script.decode(parted(reply)[0]);
  return { script: { ...script, decode }, operands };
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
