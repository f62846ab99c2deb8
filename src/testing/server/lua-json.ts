const ESCAPES: Readonly<Record<string, string>> = {
  '"': String.raw`\"`,
  '\\': String.raw`\\`,
  '/': String.raw`\/`,
  '\b': String.raw`\b`,
  '\f': String.raw`\f`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
};

function escape(character: string): string {
  return (
    ESCAPES[character] ?? String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  );
}

/** JSON as `cjson.encode` of Redis writes it: an empty table is an object. */
export function toJson(value: unknown): string {
  if (Array.isArray(value)) {
    return value.length === 0 ? '{}' : `[${value.map(toJson).join(',')}]`;
  }
  if (typeof value === 'string') {
    // oxlint-disable-next-line no-control-regex -- those are the ones to escape
    return `"${value.replaceAll(/["\\/\u0000-\u001f\u007f]/gu, escape)}"`;
  }
  return JSON.stringify(value);
}
