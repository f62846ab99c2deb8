// @ts-check
// Makes the files of the package from compiled modules: one CommonJS file, an ES module that passes
// its names on, and one declaration file for either.
//
// There is one instance of each class, whoever imports it and how, since the ES module only points
// to the CommonJS one. Comments stay out, the declarations have them.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { rolldown } from 'rolldown';
import { root } from './fresh.mjs';

/**
 * @param {string} compiled the folder of the compiled modules
 * @param {string} target the folder to write to
 */
export async function bundle(compiled, target) {
  const build = await rolldown({
    cwd: compiled,
    input: join(compiled, 'index.js'),
    external: (name) => !/^[./]/.test(name),
    platform: 'node',
    onLog(level, { message }) {
      if (level === 'warn') {
        throw new Error(message);
      }
    },
  });
  const { output } = await build.generate({
    format: 'cjs',
    exports: 'named',
    strict: true,
    comments: false,
  });
  await build.close();
  const [entry, ...others] = output;
  if (others.length > 0) {
    throw new Error(`expected one file, got ${output.map(({ fileName }) => fileName).join(', ')}`);
  }
  const names = entry.exports.toSorted().map((name) => `  ${name},\n`);
  // Indentation is tabs here, a twentieth of the file, while texts such as the scripts have none:
  // without it every line stays what and where it is, for stack traces and debuggers.
  writeFileSync(join(target, 'index.cjs'), entry.code.replaceAll(/^\t+/gm, ''));
  writeFileSync(join(target, 'index.js'), `export {\n${names.join('')}} from './index.cjs';\n`);
}

/**
 * @param {string} compiled the folder of the compiled modules
 * @param {string} target the folder to write to
 * @returns {string} what went wrong, empty when nothing did
 */
export function declarations(compiled, target) {
  const configFile = join(root, 'api-extractor.json');
  const config = ExtractorConfig.prepare({
    configObject: {
      ...ExtractorConfig.loadFile(configFile),
      projectFolder: root,
      mainEntryPointFilePath: join(compiled, 'index.d.ts'),
      // It has a check of its own: what differs from the report can be built all the same.
      apiReport: { enabled: false },
      dtsRollup: { enabled: true, untrimmedFilePath: join(target, 'index.d.cts') },
    },
    configObjectFullPath: configFile,
    packageJsonFullPath: join(root, 'package.json'),
  });
  let faults = '';
  const result = Extractor.invoke(config, {
    localBuild: true,
    messageCallback(message) {
      const { Error: error, Warning: warning } = ExtractorLogLevel;
      if (message.logLevel === error || message.logLevel === warning) {
        faults += `${message.formatMessageWithLocation(root)}\n`;
      }
      message.handled = true;
    },
  });
  writeFileSync(join(target, 'index.d.ts'), `export * from './index.cjs';\n`);
  return result.succeeded ? '' : faults || 'there is no declaration file\n';
}
