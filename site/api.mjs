// @ts-check
// The pages of the API: one for each class and interface, with its docstrings.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * @param {object} where
 * @param {string} where.root
 * @param {string} where.site
 * @param {string} where.source of the site
 * @param {(what: string, program: string, args: string[], options?: { cwd?: string }) => Promise<string>} where.step
 */
export async function apiPages({ root, site, source, step }) {
  const model = join(root, 'temp', 'api-model');
  await mkdir(model, { recursive: true });
  const config = join(model, 'api-extractor.json');
  await writeFile(
    config,
    JSON.stringify({
      extends: join(root, 'api-extractor.json'),
      projectFolder: root,
      apiReport: { enabled: false },
      docModel: { enabled: true, apiJsonFilePath: join(model, 'redlatch.api.json') },
    }),
  );
  const extract = [bin(root, 'api-extractor'), 'run', '--local', '--config', config];
  await step('reading the API', process.execPath, extract, { cwd: root });
  const output = join(source, 'api');
  const document = [bin(site, 'api-documenter'), 'markdown', '-i', model, '-o', output];
  await step('writing the pages of the API', process.execPath, document, { cwd: site });
  for (const file of await readdir(output)) {
    const text = await readFile(join(output, file), 'utf8');
    await writeFile(join(output, file), forVue(text));
  }
}

/** @param {string} folder @param {string} tool */
const bin = (folder, tool) => join(folder, 'node_modules', '@microsoft', tool, 'bin', tool);

/** API Documenter escapes for Markdown alone: in VitePress two braces are an expression. @param {string} text */
const forVue = (text) => text.replaceAll('{{', '&#123;&#123;').replaceAll('}}', '&#125;&#125;');
