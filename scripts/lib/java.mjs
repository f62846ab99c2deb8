// @ts-check
// What the interop tests need of Java: tools, and programs that are built.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fetched } from '../gate/fetch.mjs';
import { run } from './run.mjs';

const OLDEST_JDK = 17;

/** Versions of Redisson whose fair lock treats a name mapper in two ways. */
const OLDER = ['3.51.0', '3.52.0'];

const BUILD_LIMIT_MS = 10 * 60_000;

/**
 * A program of the JDK: of JAVA_HOME, as Maven does, else from the search path.
 *
 * @param {'java' | 'javac'} name
 */
export function jdkProgram(name) {
  const home = process.env['JAVA_HOME'];
  const own = home === undefined ? '' : join(home, 'bin', name);
  return existsSync(own) ? own : name;
}

/** @returns {Promise<string[]>} a sentence for each tool that is not here; none when all are */
export async function missingTools() {
  const missing = [];
  const javac = await run(jdkProgram('javac'), ['-version']);
  const [, version = '0'] = /^javac (\d+)/m.exec(javac.output) ?? [];
  if (javac.code !== 0) {
    missing.push(`no JDK: install version ${OLDEST_JDK} or later, or set JAVA_HOME.`);
  } else if (Number(version) < OLDEST_JDK) {
    missing.push(
      `the JDK is version ${version}: install ${OLDEST_JDK} or later, or set JAVA_HOME.`,
    );
  }
  const maven = await run('mvn', ['--version']);
  if (maven.code !== 0) {
    missing.push('no Maven: install it, so that "mvn" is on the search path.');
  }
  return missing;
}

/**
 * Builds the Java programs; Maven fetches their libraries the first time.
 *
 * @returns {Promise<void>}
 * @throws {import('../gate/fetch.mjs').FetchError}
 */
export async function buildJava() {
  console.log('interop: building the Java programs (the first time Maven fetches their libraries)');
  const programs = [
    ['test/interop/java'],
    ...OLDER.map((version) => ['test/interop/java-older', `-Dredisson.version=${version}`]),
  ];
  for (const [folder = '', ...options] of programs) {
    const args = ['--quiet', '--batch-mode', '--file', folder, ...options, 'compile'];
    await fetched(
      `the libraries of ${folder}`,
      async (timeoutMs) => await run('mvn', args, { timeoutMs, yields: true }),
      { limitMs: BUILD_LIMIT_MS },
    );
  }
}
