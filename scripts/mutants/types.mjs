// @ts-check
// Whether a changed source still compiles: a mistake that the compiler refuses is none that tests have
// to find. The sources of `src` have explicit types on all exports, so a change shows in its own file.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript-5';
import { root } from '../lib/fresh.mjs';

/** Names that are not used any more would be seen by everyone. */
const LENIENT = { noUnusedLocals: false, noUnusedParameters: false, noEmit: true };

export class Types {
  /** @type {Map<string, { text: string, version: number }>} */
  #changed = new Map();
  #version = 0;
  #service;

  constructor() {
    const read = ts.readConfigFile(join(root, 'tsconfig.json'), (name) =>
      readFileSync(name, 'utf8'),
    );
    const config = /** @type {object} */ (read.config);
    const parsed = ts.parseJsonConfigFileContent({ ...config, include: ['src'] }, ts.sys, root);
    const textOf = (/** @type {string} */ name) =>
      this.#changed.get(name)?.text ?? ts.sys.readFile(name);
    /** @type {import('typescript-5').LanguageServiceHost} */
    const host = {
      getCompilationSettings: () => ({ ...parsed.options, ...LENIENT }),
      getScriptFileNames: () => parsed.fileNames,
      getScriptVersion: (name) => String(this.#changed.get(name)?.version ?? 0),
      getScriptSnapshot: (name) => {
        const text = textOf(name);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => root,
      getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
      fileExists: (name) => ts.sys.fileExists(name),
      readFile: (name) => ts.sys.readFile(name),
      readDirectory: (...args) => ts.sys.readDirectory(...args),
      directoryExists: (name) => ts.sys.directoryExists(name),
      getDirectories: (name) => ts.sys.getDirectories(name),
    };
    this.#service = ts.createLanguageService(host);
  }

  /** What the compiler says of the file with another text.
   * @param {string} file
   * @param {string} text
   * @returns {string | undefined} */
  faultOf(file, text) {
    const name = join(root, file);
    this.#version += 1;
    this.#changed.set(name, { text, version: this.#version });
    const faults = [
      ...this.#service.getSyntacticDiagnostics(name),
      ...this.#service.getSemanticDiagnostics(name),
    ];
    this.#version += 1;
    this.#changed.set(name, { text: readFileSync(name, 'utf8'), version: this.#version });
    const [fault] = faults;
    return fault && ts.flattenDiagnosticMessageText(fault.messageText, '\n');
  }
}
