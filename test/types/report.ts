// The public types as the API report lists them, parsed.

import { readFileSync } from 'node:fs';
import { parseSync, Visitor, type TSPropertySignature, type TSType } from 'oxc-parser';

/** A property that may be left out: `Type.property`, with the type that it may have. */
export interface OptionalProperty {
  readonly path: string;
  readonly takesUndefined: boolean;
}

/** The declarations in the report, as TypeScript. */
export function readReport(file = 'api/redlatch.api.md'): string {
  const [, source] = /```ts\n(.*?)```/su.exec(readFileSync(file, 'utf8')) ?? [];
  if (source === undefined) {
    throw new Error(`${file} has no declarations`);
  }
  return source;
}

function takesUndefined(type: TSType | undefined): boolean {
  switch (type?.type) {
    case 'TSUndefinedKeyword':
    case 'TSUnknownKeyword':
    case 'TSAnyKeyword':
      return true;
    case 'TSUnionType':
      return type.types.some(takesUndefined);
    default:
      return false;
  }
}

function nameOf({ key }: TSPropertySignature): string {
  return key.type === 'Identifier' ? key.name : '[computed]';
}

/** All optional properties, those of types without a name included. */
export function optionalProperties(source: string): OptionalProperty[] {
  const { program, errors } = parseSync('report.ts', source);
  const [error] = errors;
  if (error !== undefined) {
    throw new Error(error.message);
  }
  const found: OptionalProperty[] = [];
  let within = '';
  const enter = (node: { id: { name: string } | null }): void => {
    within = node.id?.name ?? '';
  };
  new Visitor({
    TSInterfaceDeclaration: enter,
    TSTypeAliasDeclaration: enter,
    TSDeclareFunction: enter,
    ClassDeclaration: enter,
    TSPropertySignature(node) {
      if (node.optional) {
        const path = `${within}.${nameOf(node)}`;
        found.push({ path, takesUndefined: takesUndefined(node.typeAnnotation?.typeAnnotation) });
      }
    },
  }).visit(program);
  return found;
}
