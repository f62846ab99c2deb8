// @ts-check
// The commands that can be the first write of a script. Redis checks its memory before that one only, so a
// first write that needs no memory lets all later ones through.

import { parse, redisCall } from './check.mjs';
import { whatDoes } from './commands.mjs';

/**
 * @typedef {import('luaparse').Node} Node
 * @typedef {import('./header.mjs').Report} Report
 * @typedef {object} Paths  all paths through some code
 * @property {Set<string>} writes  the first write of each path that has one, in capitals
 * @property {boolean} goesOn  a path gets to the end without a write
 * @property {boolean} returns  a path returns without a write
 */

/** @type {Paths} */
const NOTHING = { writes: new Set(), goesOn: true, returns: false };

/** Above the code of a script that is never refused for want of memory. */
const DECLARATION = '-- at maxmemory: carried out';

/**
 * A script that renews, releases or gives back is carried out at maxmemory, and declares that. Every other
 * script that writes does not.
 * @param {{ lines: string[] }[]} parts  the script behind all that it includes
 * @param {string[]} lines  of the script alone
 * @param {Report} report
 */
export function checkFirstWrites(parts, lines, report) {
  // What does not parse is reported elsewhere.
  const chunk = parse(parts.flatMap((part) => part.lines).join('\n'), () => {});
  if (chunk === null) {
    return;
  }
  const { writes } = new Walk().block(chunk.body);
  const refused = [...writes].filter((write) => whatDoes(write) !== 'frees');
  const declared = lines.indexOf(DECLARATION) + 1;
  if (declared > 0 && (refused.length > 0 || writes.size === 0)) {
    const found = refused.length > 0 ? refused.join(', ') : 'none';
    report(declared, `its first write must be one that needs no memory, and can be ${found}`);
  } else if (declared === 0 && writes.size > 0 && refused.length === 0) {
    report(1, `no first write of it needs memory: it must have the line '${DECLARATION}'`);
  }
}

/**
 * @param {Paths} first
 * @param {() => Paths} second
 * @returns {Paths}
 */
function afterwards(first, second) {
  if (!first.goesOn) {
    return first;
  }
  const { writes, goesOn, returns } = second();
  return {
    writes: new Set([...first.writes, ...writes]),
    goesOn,
    returns: first.returns || returns,
  };
}

/** @param {Paths[]} branches @returns {Paths} */
function oneOf(branches) {
  return {
    writes: new Set(branches.flatMap(({ writes }) => [...writes])),
    goesOn: branches.some(({ goesOn }) => goesOn),
    returns: branches.some(({ returns }) => returns),
  };
}

class Walk {
  /** The body of each local function. @type {Map<string, Node[]>} */
  #functions = new Map();

  /**
   * @param {readonly Node[]} nodes  run one after the other
   * @returns {Paths}
   */
  block(nodes) {
    let paths = NOTHING;
    for (const node of nodes) {
      paths = afterwards(paths, () => this.#node(node));
    }
    return paths;
  }

  /** @param {Node} node @returns {Paths} */
  #node(node) {
    switch (node.type) {
      case 'FunctionDeclaration':
        if (node.identifier?.type === 'Identifier') {
          this.#functions.set(node.identifier.name, node.body);
        }
        return NOTHING;
      case 'IfStatement':
        return this.#clauses(node.clauses);
      case 'LogicalExpression':
        return afterwards(this.#node(node.left), () => this.#maybe([node.right]));
      case 'ForNumericStatement':
      case 'ForGenericStatement':
      case 'WhileStatement': {
        const { body, ...head } = node;
        return afterwards(this.#children(head), () => this.#maybe(body));
      }
      case 'ReturnStatement': {
        const paths = this.block(node.arguments);
        return { ...paths, goesOn: false, returns: paths.goesOn };
      }
      case 'CallExpression':
        return afterwards(this.block(node.arguments), () => this.#call(node));
      default:
        return this.#children(node);
    }
  }

  /** @param {object} node @returns {Paths} */
  #children(node) {
    /** @type {unknown[]} */
    const children = Object.values(node).flat();
    return this.block(/** @type {Node[]} */ (children.filter(isNode)));
  }

  /** @param {readonly Node[]} nodes  may run or not @returns {Paths} */
  #maybe(nodes) {
    return oneOf([NOTHING, this.block(nodes)]);
  }

  /** @param {import('luaparse').IfStatement['clauses']} clauses @returns {Paths} */
  #clauses([clause, ...others]) {
    if (clause === undefined) {
      return NOTHING;
    }
    if (clause.type === 'ElseClause') {
      return this.block(clause.body);
    }
    return afterwards(this.#node(clause.condition), () =>
      oneOf([this.block(clause.body), this.#clauses(others)]),
    );
  }

  /** @param {import('luaparse').CallExpression} node @returns {Paths} */
  #call(node) {
    if (node.base.type === 'Identifier') {
      // A function may run those that it is given, as pcall does.
      const names = [node.base, ...node.arguments].flatMap((part) =>
        part.type === 'Identifier' ? [part.name] : [],
      );
      return names.reduce((paths, name) => afterwards(paths, () => this.#run(name)), NOTHING);
    }
    const call = redisCall(node);
    const does = call && whatDoes(call.command);
    // A write that is refused in a pcall leaves the next one the first.
    const isWrite = does === 'frees' || (does === 'grows' && call?.isCaught === false);
    return call !== undefined && isWrite
      ? { writes: new Set([call.command]), goesOn: false, returns: false }
      : NOTHING;
  }

  /** @param {string} name @returns {Paths} */
  #run(name) {
    const body = this.#functions.get(name) ?? [];
    // A function that calls itself is reported elsewhere.
    this.#functions.delete(name);
    const { writes, goesOn, returns } = this.block(body);
    this.#functions.set(name, body);
    return { writes, goesOn: goesOn || returns, returns: false };
  }
}

/** @param {unknown} value */
function isNode(value) {
  return typeof value === 'object' && value !== null && 'type' in value;
}
