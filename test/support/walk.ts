// Everything that can be read of a value, by whatever way a log or a debugger takes.

import { inspect } from 'node:util';

/** Every text in `value`: its own properties, hidden ones and symbols included, what is in them, and
 * what printing it shows. */
export function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  const seen = new Set<unknown>();
  const visit = (each: unknown): void => {
    if (Buffer.isBuffer(each)) {
      texts.push(each.toString('latin1'));
    } else if ((typeof each === 'object' && each !== null) || typeof each === 'function') {
      if (!seen.has(each)) {
        seen.add(each);
        visitAll(each);
      }
    } else {
      texts.push(String(each));
    }
  };
  const visitAll = (object: object): void => {
    if (object instanceof Map || object instanceof Set) {
      visit([...object]);
    }
    for (const key of Reflect.ownKeys(object)) {
      texts.push(String(key));
      visit(attempt(() => Reflect.get(object, key) as unknown));
    }
    const toJson: unknown = attempt(() => Reflect.get(object, 'toJSON'));
    if (typeof toJson === 'function') {
      visit(attempt(() => Reflect.apply(toJson, object, []) as unknown));
    }
    if (object instanceof Error) {
      texts.push(String(object), String(object.stack), object.message);
    }
  };
  visit(value);
  texts.push(
    inspect(value, { depth: Infinity, showHidden: true, getters: true, maxStringLength: null }),
  );
  texts.push(String(attempt(() => JSON.stringify(value))));
  return texts;
}

function attempt(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}
