import type { LuaApi } from 'wasmoon-lua5.1';
import { printScore } from '../keyspace/numbers.js';
import { ReplyError, Status, type Reply } from '../keyspace/reply.js';

/** An address in the memory of Lua. */
export type Pointer = number;

/** The part of Lua's C interface that is used here, as it is exported from WebAssembly. */
export interface Lua {
  readonly HEAPU8: Uint8Array;
  addFunction(callback: (state: Pointer) => number, signature: string): Pointer;
  _malloc(size: number): Pointer;
  _free(pointer: Pointer): void;
  _luaL_newstate(): Pointer;
  _luaL_openlibs(state: Pointer): void;
  _luaL_loadbuffer(state: Pointer, text: Pointer, size: number, name: Pointer): number;
  _luaL_ref(state: Pointer, table: number): number;
  _lua_createtable(state: Pointer, items: number, fields: number): void;
  _lua_gettop(state: Pointer): number;
  _lua_settop(state: Pointer, top: number): void;
  _lua_getfield(state: Pointer, index: number, name: Pointer): void;
  _lua_setfield(state: Pointer, index: number, name: Pointer): void;
  _lua_rawgeti(state: Pointer, index: number, item: number): void;
  _lua_rawseti(state: Pointer, index: number, item: number): void;
  _lua_objlen(state: Pointer, index: number): number;
  _lua_pcall(state: Pointer, args: number, results: number, handler: number): number;
  _lua_pushboolean(state: Pointer, value: number): void;
  _lua_pushcclosure(state: Pointer, callback: Pointer, upvalues: number): void;
  _lua_pushlstring(state: Pointer, text: Pointer, size: number): void;
  _lua_pushnumber(state: Pointer, value: number): void;
  _lua_toboolean(state: Pointer, index: number): number;
  _lua_tolstring(state: Pointer, index: number, size: Pointer): Pointer;
  _lua_tonumber(state: Pointer, index: number): number;
  _lua_type(state: Pointer, index: number): number;
}

export const REGISTRY = -10_000;
const GLOBALS = -10_002;
const TYPE = { boolean: 1, number: 3, string: 4, table: 5 } as const;

/** The stack of a Lua state: puts values of replies on it, and reads them. */
export class LuaStack {
  readonly lua: Lua;
  readonly state: Pointer;
  readonly #names = new Map<string, Pointer>();
  readonly #size: Pointer;
  #scratch: Pointer;
  #scratchSize = 4_096;
  #memory: Buffer;

  constructor({ module }: LuaApi) {
    // oxlint-disable-next-line no-unsafe-type-assertion -- its types name neither all exports nor how they are called
    const lua = module as unknown as Lua;
    this.lua = lua;
    this.state = lua._luaL_newstate();
    this.#memory = Buffer.from(lua.HEAPU8.buffer);
    this.#size = lua._malloc(4);
    this.#scratch = lua._malloc(this.#scratchSize);
  }

  get top(): number {
    return this.lua._lua_gettop(this.state);
  }

  clear(): void {
    this.lua._lua_settop(this.state, 0);
  }

  /** True for what a command takes as an argument. */
  isText(index: number): boolean {
    const type = this.lua._lua_type(this.state, index);
    return type === TYPE.string || type === TYPE.number;
  }

  /** An argument of a command. Redis prints numbers with all their digits, and Lua 14 of them. */
  argumentAt(index: number): string {
    const lua = this.lua;
    const isNumber = lua._lua_type(this.state, index) === TYPE.number;
    return isNumber ? printScore(lua._lua_tonumber(this.state, index)) : this.stringAt(index);
  }

  /** Takes the value on top as a global. */
  setGlobal(name: string): void {
    this.lua._lua_setfield(this.state, GLOBALS, this.name(name));
  }

  /** The value at an index as Redis answers it. */
  replyAt(index: number): Reply {
    const lua = this.lua;
    switch (lua._lua_type(this.state, index)) {
      case TYPE.string:
        return this.stringAt(index);
      case TYPE.number:
        return Math.trunc(lua._lua_tonumber(this.state, index));
      case TYPE.boolean:
        return lua._lua_toboolean(this.state, index) === 1 ? 1 : null;
      case TYPE.table:
        return this.#tableAt(index);
      default:
        return null;
    }
  }

  #tableAt(index: number): Reply {
    const error = this.#fieldAt(index, 'err');
    if (error !== undefined) {
      return new ReplyError(error);
    }
    const status = this.#fieldAt(index, 'ok');
    if (status !== undefined) {
      return new Status(status);
    }
    const items: Reply[] = [];
    for (let i = 1; ; i += 1) {
      this.lua._lua_rawgeti(this.state, index, i);
      const isEnd = this.lua._lua_type(this.state, -1) === 0;
      if (!isEnd) {
        items.push(this.replyAt(-1));
      }
      this.#pop();
      if (isEnd) {
        return items;
      }
    }
  }

  #fieldAt(index: number, name: string): string | undefined {
    this.lua._lua_getfield(this.state, index, this.name(name));
    const isText = this.lua._lua_type(this.state, -1) === TYPE.string;
    const text = isText ? this.stringAt(-1) : undefined;
    this.#pop();
    return text;
  }

  /** The value at an index as it stands in JSON; tables are lists. */
  valueAt(index: number): unknown {
    const lua = this.lua;
    switch (lua._lua_type(this.state, index)) {
      case TYPE.string:
        return this.stringAt(index);
      case TYPE.number:
        return lua._lua_tonumber(this.state, index);
      case TYPE.boolean:
        return lua._lua_toboolean(this.state, index) === 1;
      case TYPE.table: {
        const length = lua._lua_objlen(this.state, index);
        return Array.from({ length }, (_, i) => {
          lua._lua_rawgeti(this.state, index, i + 1);
          const value = this.valueAt(lua._lua_gettop(this.state));
          this.#pop();
          return value;
        });
      }
      default:
        return null;
    }
  }

  push(reply: Reply): void {
    const lua = this.lua;
    const state = this.state;
    if (typeof reply === 'string') {
      this.pushString(reply);
    } else if (typeof reply === 'number') {
      lua._lua_pushnumber(state, reply);
    } else if (reply === null) {
      lua._lua_pushboolean(state, 0);
    } else if (Array.isArray(reply)) {
      lua._lua_createtable(state, reply.length, 0);
      reply.forEach((item, i) => {
        this.push(item);
        lua._lua_rawseti(state, -2, i + 1);
      });
    } else {
      lua._lua_createtable(state, 0, 1);
      this.pushString(reply instanceof Status ? reply.text : reply.message);
      lua._lua_setfield(state, -2, this.name(reply instanceof Status ? 'ok' : 'err'));
    }
  }

  pushStrings(texts: readonly string[]): void {
    this.lua._lua_createtable(this.state, texts.length, 0);
    texts.forEach((text, i) => {
      this.pushString(text);
      this.lua._lua_rawseti(this.state, -2, i + 1);
    });
  }

  pushString(text: string): void {
    if (text.length > this.#scratchSize) {
      this.lua._free(this.#scratch);
      this.#scratchSize = text.length * 2;
      this.#scratch = this.lua._malloc(this.#scratchSize);
    }
    this.#bytes().write(text, this.#scratch, 'latin1');
    this.lua._lua_pushlstring(this.state, this.#scratch, text.length);
  }

  stringAt(index: number): string {
    const from = this.lua._lua_tolstring(this.state, index, this.#size);
    const bytes = this.#bytes();
    return bytes.toString('latin1', from, from + bytes.readUInt32LE(this.#size));
  }

  #pop(): void {
    this.lua._lua_settop(this.state, -2);
  }

  /** A copy of a name that stays where it is. */
  name(name: string): Pointer {
    let pointer = this.#names.get(name);
    if (pointer === undefined) {
      pointer = this.store(`${name}\0`);
      this.#names.set(name, pointer);
    }
    return pointer;
  }

  store(text: string): Pointer {
    const pointer = this.lua._malloc(text.length);
    this.#bytes().write(text, pointer, 'latin1');
    return pointer;
  }

  /** The memory of Lua, which is another one after it has grown. */
  #bytes(): Buffer {
    if (this.#memory.buffer !== this.lua.HEAPU8.buffer) {
      this.#memory = Buffer.from(this.lua.HEAPU8.buffer);
    }
    return this.#memory;
  }
}
