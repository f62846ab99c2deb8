/** The part of redis-parser that is used. */
declare module 'redis-parser' {
  interface Options {
    readonly returnReply: (reply: unknown) => void;
    readonly returnError: (error: Error) => void;
    readonly returnFatalError: (error: Error) => void;
  }

  export default class Parser {
    constructor(options: Options);
    execute(bytes: Buffer): void;
  }
}
