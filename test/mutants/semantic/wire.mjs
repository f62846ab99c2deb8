// @ts-check
// Mistakes about the commands that are written past the driver, and their replies.

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const wire = [
  {
    id: 'taken-while-asked',
    mistake: 'a socket is taken while the driver still waits for answers on it',
    file: 'src/core/connection/take-over.ts',
    changes: [[' || !QUEUES.every((queue) => lengthOf(driver, queue) === 0)', '']],
    tests: ['test/unit/take-over.test.ts'],
  },
  {
    id: 'taken-by-any-answer',
    mistake: 'a socket is taken whatever the driver was answered',
    file: 'src/core/connection/take-over.ts',
    changes: [['!first.isOwn || ', '']],
    tests: ['test/unit/take-over.test.ts'],
  },
  {
    id: 'second-answer-unread',
    mistake: 'the first answer that comes past the driver may be that to something else',
    file: 'src/core/connection/take-over.ts',
    changes: [['reply === second', 'error === undefined']],
    tests: ['test/unit/take-over.test.ts'],
  },
  {
    id: 'read-twice',
    mistake: 'the driver goes on reading the socket that was taken from it',
    file: 'src/core/connection/take-over.ts',
    changes: [["  stream.removeAllListeners('data');\n", '']],
    tests: ['test/unit/take-over.test.ts'],
  },
  {
    id: 'reply-to-nothing',
    mistake: 'a reply that nobody has asked for is passed over',
    file: 'src/core/connection/wire.ts',
    changes: [["      this.#broken(new Error('Redis has sent a reply to nothing'));\n", '']],
    tests: ['test/unit/wire.test.ts'],
  },
  {
    id: 'reply-after-end',
    mistake: 'replies behind bytes that cannot be read are told',
    file: 'src/core/connection/wire.ts',
    changes: [
      [
        '    if (this.#isClosed) {\n      // Bytes behind',
        '    if (false) {\n      // Bytes behind',
      ],
      ['      if (!this.#isClosed) {\n        parser', '      {\n        parser'],
    ],
    tests: ['test/unit/wire.test.ts'],
  },
  {
    id: 'end-untold',
    mistake: 'calls without an answer do not hear of the end of their connection',
    file: 'src/core/connection/wire.ts',
    changes: [['      answered?.(undefined, error);\n', '']],
    tests: ['test/unit/wire.test.ts'],
  },
  {
    id: 'failed-write-forgotten',
    mistake: 'a connection goes on though its commands could not be written',
    file: 'src/core/connection/wire.ts',
    changes: [['      this.#broken(asError(error));\n', '']],
    tests: ['test/unit/wire.test.ts'],
  },
  {
    id: 'unicode-counted-as-bytes',
    mistake: 'the length of a text is that of its characters, though some take more bytes',
    file: 'src/core/connection/wire.ts',
    changes: [['Buffer.byteLength(text) === text.length + high', 'high >= 0']],
    tests: ['test/unit/wire.test.ts'],
  },
];
