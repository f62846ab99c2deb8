import { describe, expect, test } from 'vitest';
import { compile } from '../../scripts/lua/compile.mjs';

/** What the generator says of `lock/acquire.lua` and of the lib files beside it. */
function faultsOf(acquire: string, lib: Record<string, string> = {}): string[] {
  const libFiles = Object.entries(lib).map(([name, text]) => [`lib/${name}.lua`, text] as const);

  const { faults } = compile(new Map([['lock/acquire.lua', acquire], ...libFiles]));

  return faults.map(({ file, line, message }) => `${file}:${line}: ${message}`);
}

/** A sound operation: seven lines of header, a blank line, one line of code. */
const sound = `-- lock/acquire: take the lock.
-- More prose.
--
-- KEYS[1] lock      hash      who holds
--                             and how often
-- ARGV[1] lease_ms  integer   lease to set
-- returns integer?  null when taken

return redis.call('SET', KEYS[1], ARGV[1])
`;

/** `sound` with one text in it replaced. */
function broken(from: string, to: string): string {
  expect(sound).toContain(from);
  return sound.replace(from, to);
}

/** `sound` with these lines of code, the first of them on line 9. */
function withCode(...lines: string[]): string {
  return broken('return redis', [...lines, 'return redis'].join('\n'));
}

test('a sound operation has no faults', () => {
  expect(faultsOf(sound)).toEqual([]);
});

describe('a header is refused when', () => {
  test.each([
    ['its name is not the path', '-- lock/acquire:', '-- lock/release:', 1, "'-- lock/acquire: <s"],
    ['it has no summary', ': take the lock.', ':', 1, "first line must be '-- lock/acquire: <s"],
    [
      'its summary has no end',
      'the lock.\n-- More prose.',
      'it',
      1,
      'must be a sentence that ends',
    ],
    ['its summary ends a comment', 'take the', 'take */ the', 1, "cannot hold '*/'"],
    ['no blank line follows', 'taken\n\n', 'taken\n', 8, 'blank line must part the header'],
    ['prose follows the operands', '--      ', '-- or', 5, 'continuation indented by two'],
    [
      'numbers do not start at 1',
      'KEYS[1] lock ',
      'KEYS[2] lock ',
      4,
      'expected KEYS[1], got KEYS',
    ],
    [
      'an index is no number',
      'ARGV[1] lease',
      'ARGV[n] lease',
      6,
      "expected '-- KEYS|ARGV[<number",
    ],
    ['a description is missing', '   lease to set', '', 6, "expected '-- KEYS|ARGV[<number"],
    ['a key type is unknown', 'hash ', 'map ', 4, 'string|hash|list|zset|set|any|channel, got'],
    ['an argument type is unknown', 'integer  ', 'number  ', 6, 'be integer|string|bytes, got'],
    ['a name is not snake_case', 'lease_ms', 'leaseMs', 6, "'leaseMs' must be snake_case"],
    ['a name is taken', 'lease_ms', 'lock', 6, "the name 'lock' is taken"],
    ['the reply has no type', 'integer?  null when taken', '', 7, "expected '-- returns integer|"],
    ['the reply type is unknown', 'integer?', 'bytes', 7, "expected '-- returns integer|"],
    ['the reply is not declared', '-- returns integer?  null when taken\n', '', 7, 'no line'],
  ])('%s', (_, from, to, line, message) => {
    const faults = faultsOf(broken(from, to));

    const place = `lock/acquire.lua:${line}: `;
    expect(faults).toContainEqual(expect.stringMatching(place));
    expect(faults.find((fault) => fault.startsWith(place))).toContain(message);
  });

  test('KEYS follow ARGV', () => {
    const [first, second, third, key, more, argument, ...rest] = sound.split('\n');

    const faults = faultsOf([first, second, third, argument, key, more, ...rest].join('\n'));

    expect(faults[0]).toBe('lock/acquire.lua:5: KEYS must come before ARGV');
  });

  test('an operand follows returns', () => {
    const late = 'taken\n-- ARGV[2] holder string who asks';

    expect(faultsOf(broken('taken', late))).toContain(
      "lock/acquire.lua:8: 'returns' must be the last declaration",
    );
  });

  test('an operand follows a variadic one', () => {
    const faults = faultsOf(
      sound
        .replace('ARGV[1] lease', 'ARGV[*] lease')
        .replace('-- returns', '-- ARGV[2] holder string who asks\n-- returns'),
    );

    expect(faults).toContain('lock/acquire.lua:7: nothing may follow ARGV[*]');
  });
});

describe('an operand is refused when', () => {
  test('it is declared but not used', () => {
    expect(faultsOf(broken(', ARGV[1])', ')'))).toEqual([
      'lock/acquire.lua:6: ARGV[1] leaseMs is never used',
    ]);
  });

  test('it is used but not declared', () => {
    expect(faultsOf(withCode('local holder = ARGV[2]'))).toEqual([
      'lock/acquire.lua:9: ARGV[2] is not declared in the header',
    ]);
  });

  test.each(['KEYS[#ARGV]', '#KEYS', 'unpack(KEYS)', 'KEYS.n'])('none is variadic: %s', (code) => {
    expect(faultsOf(withCode(`local all = ${code}`))).toContain(
      'lock/acquire.lua:9: only a header with KEYS[*] allows KEYS without a constant index',
    );
  });

  test('it is variadic and only counted', () => {
    const variadic = sound.replace('-- returns', '-- ARGV[*] claims string more\n-- returns');

    expect(faultsOf(variadic.replace('return redis', 'local n = #ARGV\nreturn redis'))).toEqual([
      'lock/acquire.lua:7: ARGV[*] claims is never used',
    ]);
  });

  test('it is a local that only looks like one', () => {
    expect(faultsOf(withCode('local function f(KEYS) return KEYS[7] end', 'f({})'))).toEqual([]);
  });
});

describe('code is refused when', () => {
  test.each([
    ['it does not parse', 'local = 2', "not Lua 5.1: <name> expected near '='"],
    ['it needs a newer Lua', 'goto done', 'not Lua 5.1'],
    ['it assigns a global', 'count = 1', "'count' is global: make it local"],
    ['it defines a global function', 'function f() end', "'f' is global"],
    ['it reads a forbidden global', 'local now = os.time()', "'os' is global"],
    ['a string spans lines', 'local s = [[\n]]', 'strings and comments must not span lines'],
    ['a comment spans lines', '--[[\n]]', 'strings and comments must not span lines'],
    [
      'it formats with %d',
      "local s = string.format('%d', 1)",
      "'%d' is unsafe on some engines: use",
    ],
    ['it formats with %05d', "local s = string.format('a%%%05d', 1)", "use '%.0f'"],
    ['a method formats with %d', "local s = ('%d'):format(1)", "use '%.0f'"],
  ])('%s', (_, code, message) => {
    const faults = faultsOf(withCode(code));

    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain('lock/acquire.lua:9: ');
    expect(faults[0]).toContain(message);
  });

  test.each([
    "local s = string.format('%.0f %%d', 1)",
    "local digits = string.match('7', '%d')",
    "local now = redis.call('TIME')",
    'local t = { os = 1 }; t.os = 2',
  ])('but not for %s', (code) => {
    expect(faultsOf(withCode(code))).toEqual([]);
  });
});

describe('an include is refused when', () => {
  const helper = '-- Says hi.\nlocal function helper() return 1 end\n';
  const included = withCode('-- include lib/helper', 'helper()');

  test('the file does not exist', () => {
    expect(faultsOf(included)).toEqual(['lock/acquire.lua:9: lib/helper.lua does not exist']);
  });

  test('it is not used', () => {
    expect(faultsOf(withCode('-- include lib/helper'), { helper })).toEqual([
      'lock/acquire.lua:9: lib/helper is included but never used',
    ]);
  });

  test('it is repeated', () => {
    const twice = withCode('-- include lib/helper', '-- include lib/helper', 'helper()');

    expect(faultsOf(twice, { helper })).toEqual([
      'lock/acquire.lua:10: lib/helper is included already on line 9',
    ]);
  });

  test('it is missing', () => {
    const [fault] = faultsOf(withCode('helper()'), { helper });

    expect(fault).toBe('lib/helper.lua:1: no file includes this one');
    expect(faultsOf(withCode('helper()'), { helper })[1]).toContain('include lib/helper if that');
  });

  test.each(['-- include helper', '--include lib/helper', '  -- include lib/helper'])(
    'it is misspelt: %s',
    (line) => {
      expect(faultsOf(withCode(line))).toEqual([
        `lock/acquire.lua:9: expected '-- include lib/<function_name>', got '${line}'`,
      ]);
    },
  );

  test('it goes round in a circle', () => {
    const faults = faultsOf(included, {
      helper: '-- A.\n-- include lib/other\nlocal function helper() return other() end\n',
      other: '-- B.\n-- include lib/helper\nlocal function other() return helper() end\n',
    });

    expect(faults).toEqual([
      'lib/helper.lua:2: lib/other includes lib/helper in turn',
      'lib/other.lua:2: lib/helper includes lib/other in turn',
    ]);
  });

  test.each([
    ['has no comment', 'local function helper() end', 1, 'must start with a comment'],
    ['has another name', '-- A.\nlocal function other() end', 2, "one 'local function helper'"],
    ['is not local', '-- A.\nfunction helper() end', 2, "one 'local function helper'"],
    ['holds more', '-- A.\nlocal function helper() end\nlocal x', 3, "one 'local function helper'"],
    ['is empty', '-- A.', 1, "one 'local function helper'"],
    ['reads ARGV', '-- A.\nlocal function helper() return ARGV[1] end', 2, 'must not read ARGV'],
  ])('the lib file %s', (_, text, line, message) => {
    const fault = faultsOf(included, { helper: text }).find((each) => each.includes(message));

    expect(fault).toContain(`lib/helper.lua:${line}: `);
  });
});

describe('a path is refused when', () => {
  test('it is not <primitive>/<operation>', () => {
    const { faults } = compile(new Map([['Lock.lua', sound.replace('lock/acquire', 'Lock')]]));

    expect(faults.map(({ message }) => message)).toEqual([
      'expected lua/<primitive>/<operation>.lua or lua/lib/<function_name>.lua',
    ]);
  });

  test('two make the same constant', () => {
    const names = ['read-lock/acquire', 'read/lock-acquire'];

    const { faults } = compile(
      new Map(names.map((name) => [`${name}.lua`, sound.replace('lock/acquire', name)])),
    );

    expect(faults.map(({ message }) => message)).toEqual([
      "read/lock-acquire and read-lock/acquire would both be 'readLockAcquire'",
    ]);
  });
});
