import { LuaApi } from 'wasmoon-lua5.1';
import { toJson } from './lua-json.js';
import { LuaStack, REGISTRY } from './lua-stack.js';
import { ReplyError, type Reply } from '../keyspace/reply.js';

/** Runs a command of a script. It never throws: errors are replies. */
export type Host = (argv: string[]) => Reply;

/** What Redis gives to scripts, as far as ours use it. A reply with `err` is raised by `call`; the
 * numbers of `struct` are those of one format, `>I4`. */
const PRELUDE = `
local execute, encode = ...
local function reply_error(text) return { err = text } end
redis = {
  pcall = execute,
  call = function(...)
    local reply = execute(...)
    if type(reply) == 'table' and reply.err then error(reply, 0) end
    return reply
  end,
  error_reply = reply_error,
  status_reply = function(text) return { ok = text } end,
}
cjson = { encode = encode }
struct = {
  pack = function(format, n)
    assert(format == '>I4', 'only >I4')
    local low = n % 65536
    local high = (n - low) / 65536
    return string.char(math.floor(high / 256) % 256, high % 256, math.floor(low / 256), low % 256)
  end,
  unpack = function(format, text, from)
    assert(format == '>I4', 'only >I4')
    local a, b, c, d = string.byte(text, from, from + 3)
    return ((a * 256 + b) * 256 + c) * 256 + d, from + 4
  end,
}
io, os, debug, package, require, module, dofile, loadfile, print = nil
setmetatable(_G, {
  __newindex = function(_, name) error('Attempt to modify a readonly table: ' .. name, 2) end,
  __index = function(_, name)
    error("Script attempted to access nonexistent global variable '" .. name .. "'", 2)
  end,
})
`;

/**
 * Lua 5.1 in this process, as Redis runs it: strings are bytes, one character each. A source is
 * compiled once, and runs in 4 to 9 us from then on.
 */
export class LuaEngine {
  readonly #stack: LuaStack;
  readonly #compiled = new Map<string, number>();
  #host: Host = () => null;

  private constructor(stack: LuaStack) {
    this.#stack = stack;
    stack.lua._luaL_openlibs(stack.state);
    this.#openPrelude();
  }

  static async load(): Promise<LuaEngine> {
    return new LuaEngine(new LuaStack(await LuaApi.initialize()));
  }

  /** Runs a script. An error that it raises is the reply. */
  run(source: string, keys: readonly string[], args: readonly string[], host: Host): Reply {
    const stack = this.#stack;
    const script = this.#compile(source);
    if (script instanceof ReplyError) {
      return script;
    }
    this.#host = host;
    stack.pushStrings(keys);
    stack.setGlobal('KEYS');
    stack.pushStrings(args);
    stack.setGlobal('ARGV');
    stack.lua._lua_rawgeti(stack.state, REGISTRY, script);
    const failed = stack.lua._lua_pcall(stack.state, 0, 1, 0) !== 0;
    const reply = failed ? this.#raised() : stack.replyAt(-1);
    stack.clear();
    return reply;
  }

  #openPrelude(): void {
    const stack = this.#stack;
    // Each run sets these; all other globals are read-only from here on.
    for (const name of ['KEYS', 'ARGV']) {
      stack.pushStrings([]);
      stack.setGlobal(name);
    }
    const prelude = this.#compile(PRELUDE);
    if (prelude instanceof ReplyError) {
      throw new Error(prelude.message);
    }
    const { lua, state } = stack;
    lua._lua_rawgeti(state, REGISTRY, prelude);
    for (const callback of [() => this.#execute(), () => this.#encode()]) {
      lua._lua_pushcclosure(state, lua.addFunction(callback, 'ii'), 0);
    }
    if (lua._lua_pcall(state, 2, 0, 0) !== 0) {
      throw new Error(stack.stringAt(-1));
    }
  }

  #compile(source: string): number | ReplyError {
    const known = this.#compiled.get(source);
    if (known !== undefined) {
      return known;
    }
    const { lua, state } = this.#stack;
    const text = this.#stack.store(source);
    const name = this.#stack.name('=user_script');
    const failed = lua._luaL_loadbuffer(state, text, source.length, name) !== 0;
    lua._free(text);
    if (failed) {
      const message = this.#stack.stringAt(-1);
      this.#stack.clear();
      return new ReplyError(`ERR Error compiling script (new function): ${message}`);
    }
    const script = lua._luaL_ref(state, REGISTRY);
    this.#compiled.set(source, script);
    return script;
  }

  /** `redis.call` and `redis.pcall`: the arguments are on the stack. */
  #execute(): number {
    const stack = this.#stack;
    const argv: string[] = [];
    const count = stack.top;
    for (let i = 1; i <= count; i += 1) {
      if (!stack.isText(i)) {
        stack.push(NO_TEXT);
        return 1;
      }
      argv.push(stack.argumentAt(i));
    }
    stack.push(this.#host(argv));
    return 1;
  }

  /** `cjson.encode`. */
  #encode(): number {
    this.#stack.pushString(toJson(this.#stack.valueAt(1)));
    return 1;
  }

  /** What a script has raised: the reply of a command that `call` was given, or an error of Lua. */
  #raised(): Reply {
    const raised = this.#stack.replyAt(-1);
    const isText = typeof raised === 'string' || typeof raised === 'number';
    const message = raised instanceof ReplyError ? raised.message : `ERR ${isText ? raised : ''}`;
    return new ReplyError(`${message} script: 0, on @user_script:1.`);
  }
}

const NO_TEXT = new ReplyError('ERR Lua redis lib command arguments must be strings or integers');
