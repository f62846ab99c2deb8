// One line in a script says that it runs at most once: what the generator refuses about it.

import { describe, expect, test } from 'vitest';
import { compile } from '../../scripts/lua/compile.mjs';

const directive = '-- at most once: requests, number';
const record =
  'request_keep_record(requests, KEYS[1])\nreturn request_record(requests, number, ARGV[1])\n';
const sound = `-- latch/count-down: count a latch down.
--
-- KEYS[1] latch     string   the count
-- KEYS[2] requests  zset     the record
-- ARGV[1] word      string   what is answered
-- ARGV[2] number    integer  number of the request
-- returns string    the answer

-- include lib/request_keep_record
-- include lib/request_record
${directive}
${record}`;

const libs = {
  'lib/request_keep_record.lua':
    '-- Keeps it.\nlocal function request_keep_record(requests)\n  return requests\nend\n',
  'lib/request_recall.lua':
    '-- Recalls.\nlocal function request_recall(requests, number)\n  return number\nend\n',
  'lib/request_record.lua':
    '-- Records.\nlocal function request_record(requests, number)\n  return number\nend\n',
};

/** What the generator says of latch/count-down.lua, which is `sound` with one text replaced. */
function faultsOf(from: string, to: string, more: Record<string, string> = {}): string[] {
  expect(sound).toContain(from);
  const { faults } = compile(
    new Map(
      Object.entries({
        // Includes the record's functions, whatever becomes of the other: an unused one is a fault.
        'latch/other.lua': sound.replace('latch/count-down', 'latch/other'),
        'latch/count-down.lua': sound.replace(from, to),
        ...libs,
        ...more,
      }),
    ),
  );
  return faults.map(({ file, line, message }) => `${file}:${line}: ${message}`);
}

test('a sound script has no faults', () => {
  expect(faultsOf('', '')).toEqual([]);
});

describe('a script that may be run until an instant', () => {
  const until = `${directive}, until_ms`;
  const given = '-- ARGV[3] low_water integer  the mark\n-- ARGV[4] until_ms  integer  its end\n';
  const libLate = {
    'lib/request_late.lua':
      '-- Refuses.\nlocal function request_late(requests, number, low, until_ms)\n  return requests\nend\n',
  };
  const ending = sound.replace('-- returns', `${given}-- returns`).replace(directive, until);
  const all = (text: string): Map<string, string> =>
    new Map(
      Object.entries({
        'latch/other.lua': ending.replace('latch/count-down', 'latch/other'),
        'latch/count-down.lua': text,
        ...libs,
        ...libLate,
      }),
    );

  test('refuses late requests behind the recorded answer', () => {
    const { scripts, faults } = compile(all(ending));

    expect(faults).toEqual([]);
    expect(scripts.find(({ name }) => name === 'latch/count-down')?.source).toContain(
      'request_recall(requests,number) or request_late(requests,number,ARGV[3],ARGV[4])',
    );
  });

  test.each([
    ['the line does not name that', ending.replace(until, directive)],
    ['it is not among the arguments', ending.replace('ARGV[4] until_ms ', 'ARGV[4] untilled ')],
    ['the low-water mark is missing', ending.replace('low_water', 'low_mark ')],
  ])('is refused where %s', (_, text) => {
    const { faults } = compile(all(text));

    expect(faults.map(({ message }) => message)).toContainEqual(
      `'${until}' stands in a script that declares ARGV 'low_water' and 'until_ms', and only there`,
    );
  });
});

describe('the line is refused when', () => {
  const needs = "the header must declare KEYS 'requests' and ARGV 'number'";
  const place = `'${directive}' must stand between the header and the first statement`;

  test.each([
    ['no key is called requests', '2] requests  zset', '2] record    zset', 11, needs],
    ['no argument is called number', '2] number    integer', '2] count     integer', 11, needs],
    ['number is variadic', 'ARGV[2] number', 'ARGV[*] number', 11, needs],
    [
      'it names something else',
      directive,
      '-- at most once: number',
      11,
      `expected '${directive}'`,
    ],
    ['it is indented', directive, `  ${directive}`, 11, `expected '${directive}'`],
    ['it has a capital', directive, directive.replace('at', 'At'), 11, `expected '${directive}'`],
    ['code comes first', directive, `local word = KEYS[1]\n${directive}`, 12, place],
    ['it is there twice', directive, `${directive}\n${directive}`, 12, place],
    ['it stands in the header', '--\n', `--\n${directive}\n--\n`, 3, place],
  ])('%s', (_, from, to, line, message) => {
    const faults = faultsOf(from, to);

    expect(faults).toContainEqual(
      expect.stringContaining(`latch/count-down.lua:${line}: ${message}`),
    );
  });

  test('it stands in a lib file', () => {
    const lib = `-- Keeps it.\n${directive}\nlocal function request_keep_record(requests)\n  return requests\nend\n`;

    expect(faultsOf('', '', { 'lib/request_keep_record.lua': lib })).toEqual([
      'lib/request_keep_record.lua:2: a lib function cannot run at most once: its script can',
    ]);
  });

  test('the script records nothing', () => {
    expect(faultsOf(record, 'return ARGV[1] .. KEYS[1]\n')).toContain(
      'latch/count-down.lua:11: a counted script must request_record() its answer: a copy would run again',
    );
  });

  test('what it stands for is included as well', () => {
    expect(faultsOf(directive, `-- include lib/request_recall\n${directive}`)).toEqual([
      'latch/count-down.lua:11: lib/request_recall is included already on line 12',
    ]);
  });
});

test('faults further down keep their lines', () => {
  expect(faultsOf(directive, `${directive}\ncount = 1`)).toEqual([
    "latch/count-down.lua:12: 'count' is global: make it local, or include lib/count if that is meant",
  ]);
});
