-- Numbers and words that scripts know by name. What the client has to know as well says so.
return {
  -- client: The product: private keys and channels begin with it.
  PRODUCT_NAME = 'redlatch',
  -- client: Milliseconds without a heartbeat after which a waiter loses its entry in a wait queue.
  ABSENT_MS = 4000,
  -- client: Milliseconds after the last counted call for which the answers of such calls are kept.
  RECORD_MS = 1800000,
  -- client: Milliseconds after an ask for which a client that is not seen to listen can be granted a lock.
  UNSEEN_MS = 1000,
  -- A waiter asks again no sooner than this for what the one before it may do.
  AHEAD_MIN_MS = 50,
  -- The line of a lock is kept for so long after its last entry or heartbeat.
  LINE_TTL_MS = 60000,
  -- While a lock is handed from one client to the next, it is freed openly at least so often,
  OPEN_PERIOD_MS = 1000,
  -- and the times of such turns are kept for so long where nobody waits,
  TURN_TTL_MS = 1100,
  -- client: and left to those who stand in no line for so long.
  STAND_BACK_MS = 3,
  -- A client whose readers have waited listens to the channel of the lock for so long after that.
  LISTENS_ON_MS = 1100,
  -- A client that is handed a fenced lock may pass it on, and each hold needs a token of its own:
  -- client: Each grant to a client in the line of a fenced lock has so many tokens.
  TOKEN_BLOCK = 16,
  -- A client may pass a fair lock on to at most so many of its waiters that are right behind.
  FOLLOWERS_MAX = 15,
  -- A wait queue is kept for so long after its last entry or heartbeat.
  QUEUE_TTL_MS = 600000,
  -- One call passes over at most so many entries of a fair lock's queue.
  PASSED_OVER_MAX = 1000,
  -- A release looks so often for the next one behind absent entries, of which each look drops a hundred.
  SERVE_TRIES_MAX = 10,
  -- Where there are more, the next look is due after so long.
  PASSED_OVER_MS = 250,
  -- The mark of a latch's last zero is kept for so long, and that of a latch at least so long.
  OPENED_TTL_MS = 600000,
  -- The mark of a latch without a TTL, and the record of such a semaphore, are kept for so long.
  GENERATION_TTL_MS = 2592000000,
  -- That a semaphore was deleted is known for so long.
  DELETED_TTL_MS = 86400000,
  -- A statement of a number of permits that nobody has kept alive for so long gives way to any other,
  KEPT_ALIVE_MS = 300000,
  -- and is known for so long.
  STATED_TTL_MS = 86400000,
  -- The record of a semaphore is kept longer with each such grant.
  KEPT_EVERY = 10,
  -- A semaphore with an `idleMs` is kept at least so long after each use: waiters ask again sooner, whoever uses it,
  KEPT_MIN_MS = 15000,
  -- and what is known of it is kept so much longer than the semaphore itself.
  OUTLIVES_MS = 1000,
  -- Its `idleMs` is added to this in the record of our leases: 2^53 - 2^31, above the score of every lease.
  IDLE_SCORE = 9007197107257344,
  -- When more permits than this came back without proof, the oldest grants are forgotten.
  LOOSE_MAX = 1000,
  -- The score of our entry in a fair lock's queue, with no Java waiter before it, is so far ahead.
  SCORE_AHEAD_MS = 5000,
  -- How long a Java waiter of a fair lock waits by default.
  PATIENCE_MS = 300000,
  -- A Java waiter at the head of a queue whose score is further ahead has the default patience, or more.
  BRIEF_MS = 90000,
  -- Heartbeats that are older are dropped.
  OLD_HEARTBEAT_MS = 86400000,
  -- Length of a client id, with which each holder id begins.
  CLIENT_ID_LENGTH = 36,
  -- client: The first bytes of the id of a permit name the client that has acquired it.
  PERMIT_CLIENT_BYTES = 8,
  -- One call returns at most so many expired permits, and makes so many ids at once.
  PERMITS_CHUNK = 1000,
  -- The score that Redisson gives to a permit that never expires.
  NEVER_EXPIRES = 922337203685477,
  -- The record of our leases keeps the end of each modulo this: 35 minutes.
  LEASE_END_MS = 2097152,
  -- So many lengths of a lease have room behind the point of its end.
  LENGTH_STEPS = 2048,
  -- How many numbers four bytes can hold.
  UINT32_COUNT = 4294967296,
  -- The largest count that Redisson can read.
  INT32_MAX = 2147483647,
  -- The smallest one.
  INT32_MIN = -2147483648,
}
