// A program that esbuild has bundled and minified, as services are deployed: every class in it has lost
// its name, ours and those of the driver.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/index.js';
import { randomName, rawClient, redisUrl } from '../support/redis.js';
import { runNode } from '../support/run-node.js';
import { classes } from './exported.js';
import { modules, runIn, type Packed } from './packed.js';

/** Makes each error, and shows every way in which logs name it. */
const everyError = `
  import { inspect } from 'node:util';
  import * as redlatch from 'redlatch';

  const seen = Object.entries(redlatch)
    .filter(([name]) => name.endsWith('Error') && name !== 'CoordinationError')
    .map(([exported, Class]) => {
      const error = new Class('why', 'one', 'two');
      const { name, code } = error;
      const [line] = inspect(error).split('\\n');
      const { name: inJson } = JSON.parse(JSON.stringify(error));
      const isOurs = error instanceof redlatch.CoordinationError;
      return { exported, name, code, text: String(error), line, inJson, class: Class.name, isOurs };
    });
  console.log(JSON.stringify({ base: redlatch.CoordinationError.name, seen }));`;

/** Uses a key that is in use, so that the server answers with an error. */
const usedKey = (name: string): string => `
  import { createClient } from 'redlatch';

  const client = createClient();
  const error = await client.getLock(${JSON.stringify(name)}).tryAcquire().catch((reason) => reason);
  const { name, code, cause } = error;
  console.log(JSON.stringify({ name, code, cause: String(cause).replace(/ Operation.*/, '') }));
  await client.close();`;

/** The code of an error that has this name. */
function codeOf(name: string): string {
  const words = name.replace(/Error$/u, '').replaceAll(/(?<=[a-z])(?=[A-Z])/gu, '_');
  return `ERR_${words.toUpperCase()}`;
}

/** The block of a document that contains a text. */
async function blockOf(document: string, text: string): Promise<string> {
  const page = await readFile(document, 'utf8');
  const blocks = [...page.matchAll(/^```js\n(?<code>.*?)^```$/gmsu)];
  return (
    blocks.map(({ groups }) => groups?.['code'] ?? '').find((code) => code.includes(text)) ?? ''
  );
}

/** Bundles a program of the project that has installed the package. */
async function bundle(consumer: string, name: string, source: string): Promise<string> {
  await mkdir(join(consumer, 'minified'), { recursive: true });
  const [file, outfile] = [`minified/${name}.mjs`, `minified/${name}.min.mjs`];
  await writeFile(join(consumer, file), source);
  const built = await runNode(
    [
      join(modules, 'esbuild/bin/esbuild'),
      file,
      '--bundle',
      '--minify',
      '--platform=node',
      '--format=esm',
      '--log-level=warning',
      `--banner:js=import{createRequire}from'node:module';const require=createRequire(import.meta.url)`,
      `--outfile=${outfile}`,
    ],
    { cwd: consumer },
  );
  expect(built).toEqual({ stdout: '', stderr: '', code: 0 });
  return outfile;
}

export function describeMinified(packed: () => Packed): void {
  const bundled = async (name: string, source: string): Promise<string> =>
    await bundle(packed().consumer, name, source);

  describe('minified', () => {
    test('each error keeps its name and its code, wherever a log shows them', async () => {
      const { base, seen } = (await runIn(packed().consumer, [
        await bundled('every-error', everyError),
      ])) as { base: string; seen: { exported: string }[] };

      const names = classes.filter((name) => name !== 'CoordinationError');
      expect(base).toBe('CoordinationError');
      expect(seen.toSorted((one, other) => (one.exported < other.exported ? -1 : 1))).toEqual(
        names.map((name) => ({
          exported: name,
          name,
          code: codeOf(name),
          text: `${name}: why`,
          line: `${name}: why`,
          inJson: name,
          class: name,
          isOurs: true,
        })),
      );
    });

    test('an answer of the server that is an error is known as one', async () => {
      const name = randomName();
      await rawClient().rpush(name, 'a list');

      const file = await bundled('used-key', usedKey(name));

      expect(await runIn(packed().consumer, [file])).toEqual({
        name: 'WrongTypeError',
        code: 'ERR_WRONG_TYPE',
        cause: 'ReplyError: WRONGTYPE key 1 holds a list',
      });
      await rawClient().del(name);
    });

    test('the program of the documentation tells errors apart by their codes', async () => {
      const name = randomName();
      const source = await blockOf('docs/errors-and-events.md', 'error?.code');
      const file = await bundled('by-code', source.replace("'report'", JSON.stringify(name)));
      const { consumer } = packed();
      const run = async (): Promise<string> => {
        const env = { REDIS_URL: redisUrl() };
        return (await runNode([file], { cwd: consumer, env })).stdout;
      };
      const client = createClient(redisUrl());
      const hold = await client.getLock(name).acquire();

      expect(await run()).toBe('somebody else writes it\n');
      await hold.release();
      expect(await run()).toBe('written\n');
      await client.close();
    });
  });
}
