import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

const generator = fileURLToPath(new URL('../../scripts/generate-scripts.mjs', import.meta.url));

interface Compiled {
  name: string;
  sha1: string;
  source: string;
  operands: (keys: object, args: object) => unknown[];
  decode: unknown;
}

const files = {
  'lua/lib/base.lua': '-- Twice n.\nlocal function base(n) return 2 * n end\n',
  'lua/lib/left.lua':
    '-- Left.\n-- include lib/base\nlocal function left(n)\n  return base(n)\nend\n',
  'lua/lib/right.lua':
    '-- Right.\n-- include lib/base\nlocal function right(n) return base(n) end\n',
  'lua/lock/acquire-all.lua': `-- lock/acquire-all: take every lock
-- or none of them.
--
-- KEYS[1] wake_up   channel  where a release is published
-- KEYS[*] locks     string   one for each lock
-- ARGV[1] lease_ms  integer  lease to set
-- ARGV[2] body      bytes    stored as it is
-- ARGV[*] claims    string   one for each lock
-- returns string?   null when taken, else
--                   the holder

-- include lib/left
-- include lib/right
local quoted = '\\\\ \` \${x} é, 1 = 2'${'   '}

  -- Dropped.
for i = 2, #KEYS do
  redis.call('SET', KEYS[i], ARGV[i + 1], 'PX', left(right(ARGV[1]))) -- kept
end
return redis.call('APPEND', KEYS[1], ARGV[2] .. quoted)
`,
  'lua/latch/ping.lua':
    '-- latch/ping: say hi.\n-- returns integer always 2\n\n-- include lib/base\nreturn base(1)\n',
  'lua/latch/echo.lua':
    '-- latch/echo: say it.\n-- ARGV[1] word string said\n-- returns string it\n\nreturn ARGV[1]\n',
  'lua/lib/request_keep_record.lua':
    '-- Keeps.\nlocal function request_keep_record(requests) return requests end\n',
  'lua/lib/request_recall.lua':
    '-- Recalls.\nlocal function request_recall(requests, number) return number end\n',
  'lua/lib/request_record.lua':
    '-- Records.\nlocal function request_record(requests, number) return number end\n',
  'lua/latch/count-down.lua': `-- latch/count-down: count it down.
-- KEYS[1] latch string the count
-- KEYS[2] requests zset the record
-- ARGV[1] count integer how often
-- ARGV[2] number integer of the request
-- returns string it

-- include lib/request_keep_record
-- include lib/request_record

-- at most once: requests, number
request_keep_record(requests, KEYS[1], ARGV[1])
return request_record(requests, number)
`,
  'replies.ts': `export const [integer, text, textOrNull] = ['integer', 'text', 'textOrNull'];\n`,
};
let folder: string;
let out: string;

async function generate(...flags: string[]): Promise<{ code: number; output: string }> {
  const args = [generator, '--lua', join(folder, 'lua'), '--out', out];
  args.push('--constants', join(folder, 'constants.generated.ts'), ...flags);
  return await new Promise((resolve) => {
    execFile(process.execPath, args, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'redlatch-generate-'));
  out = join(folder, 'scripts.generated.ts');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  expect(await generate()).toMatchObject({ code: 0 });
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

test('writes typed constants, sorted by name', async () => {
  const text = await readFile(out, 'utf8');

  const types = [...text.matchAll(/\/\*\*[^=]*/g)].map(String);
  expect(types).toEqual([
    `/** count it down. */
export const latchCountDown: Script<
  { latch: string; requests: string },
  { count: number; number: number },
  string
> `,
    `/** say it. */
export const latchEcho: Script<
  Record<string, never>,
  { word: string },
  string
> `,
    `/** say hi. */
export const latchPing: Script<
  Record<string, never>,
  Record<string, never>,
  number
> `,
    `/** take every lock or none of them. */
export const lockAcquireAll: Script<
  { wakeUp: string; locks: readonly string[] },
  { leaseMs: number; body: Buffer; claims: readonly string[] },
  string | null
> `,
  ]);
  expect(text).toMatch(/^\/\/ Generated from lua\/ by /);
  expect(text).toContain("import { integer, text, textOrNull } from './replies.js';");
  expect(text).toContain("import type { Script } from './script.js';");
});

test('inlines each include once and keeps the code, but for spaces that are not in texts', async () => {
  const { lockAcquireAll } = await vi.importActual<Record<string, Compiled>>(out);

  expect(lockAcquireAll?.name).toBe('lock/acquire-all');
  expect(lockAcquireAll?.source).toBe(`-- lock/acquire-all
local function base(n) return 2*n end
local function left(n)
return base(n)
end
local function right(n) return base(n) end
local quoted='\\\\ \` \${x} é, 1 = 2'
for i=2,#KEYS do
redis.call('SET',KEYS[i],ARGV[i+1],'PX',left(right(ARGV[1]))) -- kept
end
return redis.call('APPEND',KEYS[1],ARGV[2] .. quoted)`);
  const digest = createHash('sha1').update(lockAcquireAll?.source ?? '');
  expect(lockAcquireAll?.sha1).toBe(digest.digest('hex'));
});

test('what two scripts include stands in the module once', async () => {
  const { latchPing, lockAcquireAll } = await vi.importActual<Record<string, Compiled>>(out);
  const shared = 'local function base(n) return 2*n end\n';
  const text = await readFile(out, 'utf8');

  expect(latchPing?.source).toBe(`-- latch/ping\n${shared}return base(1)`);
  expect(lockAcquireAll?.source).toContain(shared);
  expect(text.split(shared)).toHaveLength(2);
});

test('a script that runs at most once begins with the recorded answer', async () => {
  const { latchCountDown } = await vi.importActual<Record<string, Compiled>>(out);

  const [name, recall, ...rest] = latchCountDown?.source.split('\n') ?? [];
  expect([name, recall]).toEqual([
    '-- latch/count-down',
    'local function request_recall(requests,number) return number end',
  ]);
  expect(rest.slice(2)).toEqual([
    'local requests,number=KEYS[2],ARGV[2] do local answer=request_recall(requests,number) ' +
      'if answer then return answer end end',
    'request_keep_record(requests,KEYS[1],ARGV[1])',
    'return request_record(requests,number)',
  ]);
});

test('lays out operands in the order of the header and names the decoder', async () => {
  const scripts = await vi.importActual<Record<string, Compiled>>(out);

  const keys = { wakeUp: 'w', locks: ['a', 'b'] };
  const args = { leaseMs: 5, body: 'body', claims: ['x', 'y'] };
  expect(scripts['lockAcquireAll']?.operands(keys, args)).toEqual([
    3,
    'w',
    'a',
    'b',
    5,
    'body',
    'x',
    'y',
  ]);
  expect(scripts['lockAcquireAll']?.decode).toBe('textOrNull');
  expect(scripts['latchEcho']?.operands({}, { word: 'hi' })).toEqual([0, 'hi']);
  expect(scripts['latchPing']?.operands({}, {})).toEqual([0]);
});

test('leaves an equal file alone, and --check accepts it', async () => {
  const before = await stat(out);

  expect(await generate()).toMatchObject({ code: 0 });
  expect(await generate('--check')).toMatchObject({ code: 0 });

  expect((await stat(out)).mtimeMs).toBe(before.mtimeMs);
});

test('--check fails on another file, says what to do and does not write', async () => {
  const other = join(folder, 'other.ts');
  await writeFile(other, '// stale');

  const { code, output } = await generate('--check', '--out', other);

  expect(code).toBe(1);
  expect(output).toContain('other.ts is not what ');
  expect(output).toContain("run 'npm run generate' and commit the result");
  expect(await readFile(other, 'utf8')).toBe('// stale');
});

test('writes nothing when a file is at fault, and names file and line', async () => {
  const lua = join(folder, 'faulty');
  const unwritten = join(folder, 'unwritten.ts');
  await mkdir(join(lua, 'lock'), { recursive: true });
  await writeFile(
    join(lua, 'lock/acquire.lua'),
    '-- lock/acquire: take it.\n-- returns integer 1\n\ncount = 1\nreturn count\n',
  );

  const { code, output } = await generate('--lua', lua, '--out', unwritten);

  expect(code).toBe(1);
  expect(output).toContain("faulty/lock/acquire.lua:4: 'count' is global");
  await expect(stat(unwritten)).rejects.toThrow('ENOENT');
});
