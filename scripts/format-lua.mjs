// @ts-check
// Checks the layout of lua/ with StyLua, or writes it with --write.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  Config,
  formatCode,
  IndentType,
  LuaVersion,
  OutputVerification,
  QuoteStyle,
} from '@johnnymorganz/stylua';
import { root } from './lib/fresh.mjs';

/** @returns {Config} a fresh one: formatting uses it up */
function style() {
  const config = Config.new();
  config.syntax = LuaVersion.Lua51;
  config.column_width = 100;
  config.indent_type = IndentType.Spaces;
  config.indent_width = 2;
  config.quote_style = QuoteStyle.AutoPreferSingle;
  return config;
}

const folder = join(root, 'lua');
const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
const files = names.filter((name) => name.endsWith('.lua')).toSorted();

for (const name of files) {
  const path = join(folder, name);
  const text = readFileSync(path, 'utf8');
  /** @type {string} */
  let formatted;
  try {
    formatted = formatCode(text, style(), undefined, OutputVerification.None);
  } catch (error) {
    console.error(`lua/${name}: ${String(error)}`);
    process.exitCode = 1;
    continue;
  }
  if (formatted === text) {
    continue;
  }
  if (process.argv.includes('--write')) {
    writeFileSync(path, formatted);
    console.log(`lua/${name} written`);
  } else {
    console.error(`lua/${name} is not formatted: npm run format`);
    process.exitCode = 1;
  }
}
