// Patterns as KEYS and HSCAN take them: `*`, `?`, `[a-z]`, `[^a-z]`, `\` before a character.

const LITERAL = /[\\^$.*+?()[\]{}|/-]/g;

/** The expression that finds what a pattern matches. */
export function globExpression(pattern: string): RegExp {
  const source = pattern.replaceAll(
    /\\(.)|\*|\?|\[(\^?)((?:\\.|[^\]\\])*)\]?|[^]/gs,
    (token: string, escaped?: string, not?: string, members?: string) => {
      if (token === '*') {
        return '.*';
      }
      if (token === '?') {
        return '.';
      }
      if (members !== undefined) {
        return `[${not ?? ''}${members.replaceAll(/\\(.)|[\\^[]/gs, (all: string, one?: string) => (one ?? all).replaceAll(LITERAL, String.raw`\$&`))}]`;
      }
      return (escaped ?? token).replaceAll(LITERAL, String.raw`\$&`);
    },
  );
  return new RegExp(`^${source}$`, 's');
}
