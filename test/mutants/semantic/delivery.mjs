// @ts-check
// Mistakes about calls, connections, waits, messages and async contexts.

/** @type {import('../semantic.mjs').SemanticMutant[]} */
export const delivery = [
  {
    id: 'resend-order',
    mistake: 'calls that were refused or lost their connection are sent behind later ones',
    file: 'src/core/connection/resend-queue.ts',
    changes: [['.toSorted((one, other) => one.order - other.order)', '']],
    tests: ['test/unit/resend-queue.test.ts'],
  },
  {
    id: 'new-call-overtakes',
    mistake: 'a new call overtakes those that wait for a connection',
    file: 'src/core/connection/command-connection.ts',
    changes: [['redis === undefined || this.#waiting.holdsUp(call)', 'redis === undefined']],
    tests: ['test/faults/not-now.test.ts'],
  },
  {
    id: 'copies-not-counted',
    mistake: 'a copy that lost its connection is not remembered as one that may run',
    file: 'src/core/connection/resend-queue.ts',
    changes: [['      call.unackedCopies += 1;\n', '']],
    tests: ['test/unit/resend-queue.test.ts'],
  },
  {
    id: 'half-open-never',
    mistake: 'a half-open connection is judged never',
    file: 'src/core/connection/half-open.ts',
    changes: [['    this.#alarm.added(call.lastSentAt + this.#limitMs);\n', '']],
    tests: ['test/unit/half-open.test.ts'],
  },
  {
    id: 'half-open-rearmed',
    mistake: 'each new call puts the judgement of a half-open connection off',
    file: 'src/core/base/alarm.ts',
    changes: [
      [
        "this.#state === 'armed' && deadline < this.#armedFor",
        "this.#state === 'armed' && deadline > this.#armedFor",
      ],
    ],
    tests: ['test/unit/half-open.test.ts', 'test/unit/alarm.test.ts'],
  },
  {
    id: 'half-open-abandoned',
    mistake: 'a connection is not judged by a call that its caller has given up',
    file: 'src/core/wire/call.ts',
    changes: [['    if (!this.isUnanswered) {\n', '    if (this.isAbandoned) {\n']],
    tests: ['test/faults/half-open-load.test.ts', 'test/unit/half-open.test.ts'],
  },
  {
    id: 'no-second-look',
    mistake: 'a waiter does not ask again when its subscription is confirmed',
    file: 'src/core/locks/exclusive-queue.ts',
    changes: [
      [
        'hub.listen(this.#awaited.channel, () => this.wakeUp())',
        'hub.listen(this.#awaited.channel, (payload) => {\n      if (payload !== undefined) {\n        this.wakeUp();\n      }\n    })',
      ],
    ],
    tests: ['test/unit/exclusive-queue.test.ts'],
  },
  {
    id: 'no-look-after-resubscribe',
    mistake: 'waiters do not look again after their channels were subscribed anew',
    file: 'src/core/endpoint-services.ts',
    changes: [
      [
        'confirmed: (channel) => this.hub.deliver(channel, undefined)',
        'confirmed: (channel) => void channel',
      ],
    ],
    tests: ['test/faults/subscriber-cuts.test.ts'],
  },
  {
    id: 'wake-up-forgotten',
    mistake: 'a wake-up while the head asks is forgotten',
    file: 'src/core/locks/exclusive-queue.ts',
    changes: [
      [
        '    if (this.#asking) {\n      this.#wokenUp = true;\n',
        '    if (this.#asking) {\n      this.#wokenUp = false;\n',
      ],
    ],
    tests: ['test/unit/exclusive-queue.test.ts'],
  },
  {
    id: 'leaver-swallows-wake-up',
    mistake: 'a head that gives up while it asks takes the turn with it',
    file: 'src/core/locks/exclusive-queue.ts',
    changes: [
      [
        '    if (wasAsking) {\n      this.#ask();',
        '    if (wasAsking && this.#asking) {\n      this.#ask();',
      ],
    ],
    tests: ['test/unit/exclusive-queue.test.ts'],
  },
  {
    id: 'unsubscribe-races',
    mistake: 'a new waiter on a channel that lingers is cut off when the time is up',
    file: 'src/core/waiting/channel-hub.ts',
    changes: [['    entry.linger?.cancel();\n    entry.linger = undefined;\n', '']],
    tests: ['test/unit/channel-hub.test.ts'],
  },
  {
    id: 'poll-forgotten',
    mistake: 'waiters rely on messages alone',
    file: 'src/core/locks/exclusive-queue.ts',
    changes: [['      rechecks.add(this);\n', '']],
    tests: ['test/unit/exclusive-queue.test.ts'],
  },
  {
    id: 'refused-message-hides',
    mistake: 'a message that is refused hides what was done',
    file: 'lua/lib/notify.lua',
    changes: [['redis.pcall(publish, channel, payload)', 'redis.call(publish, channel, payload)']],
    tests: ['test/connections/refused-messages.test.ts'],
  },
  {
    id: 'ask-not-asking',
    mistake: 'a call to a node that imports its slot goes without ASKING',
    file: 'src/core/connection/cluster-router.ts',
    changes: [
      ['call.asking = redirection.isAsk;', 'call.asking = !redirection.isAsk && call.asking;'],
    ],
    tests: ['test/connections/cluster-edges.test.ts'],
  },
  {
    id: 'timer-in-context',
    mistake: 'a timer runs in the async context that happened to set it',
    file: 'src/core/base/clock.ts',
    changes: [['startOutside(() => setTimeout(task, timeMs))', 'setTimeout(task, timeMs)']],
    tests: ['test/integration/contexts/kept.test.ts'],
  },
  {
    id: 'connection-in-context',
    mistake: 'a connection handles its input in the async context that opened it',
    file: 'src/core/connection/connection.ts',
    changes: [['outside(() => this.#tryToConnect())', 'this.#tryToConnect()']],
    tests: ['test/integration/contexts/kept.test.ts'],
  },
  {
    id: 'loss-in-context',
    mistake: 'the abort handlers of a hold run in the async context that found the loss',
    file: 'src/core/lease/loss-signal.ts',
    changes: [['outside(() => controller.abort(error))', 'controller.abort(error)']],
    tests: ['test/integration/contexts/listeners.test.ts'],
  },
  {
    id: 'scope-keeps-hold',
    mistake: 'the scope of a released hold keeps it and all before it',
    file: 'src/core/locks/hold.ts',
    changes: [['      this.#scopeEntry.hold = undefined;\n', '']],
    tests: ['test/integration/contexts/scopes-kept.test.ts', 'test/unit/scopes.test.ts'],
  },
  {
    id: 'listener-for-each-wait',
    mistake: 'each wait adds a listener of its own to a signal that it shares',
    file: 'src/core/waiting/abort-waits.ts',
    changes: [['waitsOf.get(signal) ?? listen(signal)', 'listen(signal)']],
    tests: ['test/integration/waiting/signal-listeners.test.ts'],
  },
  {
    id: 'password-in-error',
    mistake: 'an error of the driver keeps its command, with the password in it',
    file: 'src/core/base/redactor.ts',
    changes: [
      [
        '    this.#keep(thrown, clean);\n    return clean;',
        '    this.#keep(thrown, clean);\n    Object.assign(clean, thrown);\n    return clean;',
      ],
    ],
    tests: ['test/connections/secrets.test.ts', 'test/unit/redactor.test.ts'],
  },
  {
    id: 'gone-kind-refused',
    mistake: 'a name whose latch or semaphore is gone is refused as another kind',
    file: 'src/core/name-registry.ts',
    changes: [['    if (!use.shown) {\n', '    if (use.users < 0) {\n']],
    tests: ['test/integration/names/gone-kinds.test.ts', 'test/unit/name-registry.test.ts'],
  },
  {
    id: 'closed-client-grants',
    mistake: 'a client that was closed still makes acquisitions',
    file: 'src/core/client-services.ts',
    changes: [['    this.#closed = true;\n', '']],
    tests: [
      'test/integration/bad-input/closed.test.ts',
      'test/integration/lifecycle/close.test.ts',
    ],
  },
];
