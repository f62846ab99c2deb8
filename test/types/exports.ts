// What the package exports, and the comment in front of each.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync, type Comment, type Statement } from 'oxc-parser';

export interface Exported {
  readonly name: string;
  readonly file: string;
  /** Its comment, without the stars; empty without one. */
  readonly comment: string;
}

/** The name that a statement exports, where it declares one. */
function declaredBy(statement: Statement): string | undefined {
  if (statement.type !== 'ExportNamedDeclaration') {
    return undefined;
  }
  const { declaration } = statement;
  return declaration !== null && 'id' in declaration && declaration.id?.type === 'Identifier'
    ? declaration.id.name
    : undefined;
}

/** The text of a comment that ends right in front of a place. */
function commentBefore(source: string, comments: readonly Comment[], start: number): string {
  const comment = comments.findLast(({ end }) => end <= start);
  return comment === undefined || source.slice(comment.end, start).trim() !== ''
    ? ''
    : comment.value.replaceAll(/^ *\* ?/gmu, '').trim();
}

/** All that a file exports by way of others, each with where it is declared. */
export function exportsOf(index: string): Exported[] {
  const { module } = parseSync(index, readFileSync(index, 'utf8'));
  return module.staticExports.flatMap(({ entries }) =>
    entries.map(({ exportName, moduleRequest }) => {
      const name = exportName.name ?? '';
      const request = moduleRequest?.value ?? '';
      const file = join(dirname(index), request.replace(/\.js$/u, '.ts'));
      const source = readFileSync(file, 'utf8');
      const { program, comments } = parseSync(file, source);
      const statement = program.body.find((each) => declaredBy(each) === name);
      if (statement === undefined) {
        throw new Error(`${file} does not declare ${name}`);
      }
      return { name, file, comment: commentBefore(source, comments, statement.start) };
    }),
  );
}

/** The code of the examples in a comment. */
export function examplesIn(comment: string): string[] {
  const examples = comment.matchAll(/^@example\n```ts\n(?<code>.*?)^```$/gmsu);
  return [...examples].map(({ groups }) => groups?.['code'] ?? '');
}
