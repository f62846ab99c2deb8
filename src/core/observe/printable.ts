/** Under this name Node's `util.inspect`, and so `console.log`, finds how an object is shown. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** An object as one line, like `Hold { name: "a", remainingMs: 5 }`. Texts are quoted and escaped,
 * so that no name can break the line. */
function lineOf(label: string, facts: object): string {
  const parts = Object.entries(facts).map(([key, value]) => `${key}: ${textOf(value)}`);
  return `${label} { ${parts.join(', ')} }`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

/** The common part of all objects that users get: what a log shows of them. It has no fields, since
 * thousands of holds may be alive. */
export abstract class Printable {
  static {
    /** One line at any depth, whatever the options. */
    const inspect = function inspect(this: Printable): string {
      return lineOf(this.label, this.facts);
    };
    // Defined, not declared: a name that is computed cannot stand in the declarations.
    Object.defineProperty(this.prototype, INSPECT, { value: inspect });
  }

  /** What the object is, in front of its facts. */
  protected abstract get label(): string;

  /** What matters of the object, for `JSON.stringify` and loggers: no secrets, no internals. */
  abstract toJSON(): object;

  /** What the line of `console.log` shows. */
  protected get facts(): object {
    return this.toJSON();
  }
}
