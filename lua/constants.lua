-- Numbers that scripts know by name. What the client has to know as well says so.
return {
  -- client: Milliseconds of silence after which a waiter has lost its place.
  ABSENT_MS = 4000,
  -- client: Milliseconds for which the answers of counted calls are kept, from the last call on.
  RECORD_MS = 1800000,
  -- For so long a line is kept after its last entry or sign of life.
  LINE_TTL_MS = 600000,
  -- For so long the mark of a latch's last zero is kept.
  OPENED_TTL_MS = 600000,
  -- For so long the mark of a semaphore without a TTL is kept.
  GENERATION_TTL_MS = 2592000000,
  -- Java takes an entry of a fair lock's queue for absent so much later: ours, with none of Java before it.
  SCORE_AHEAD_MS = 5000,
  -- How long a Java waiter of a fair lock waits by default.
  PATIENCE_MS = 300000,
  -- A Java waiter whose score is so much further off than was to be expected is a more patient one.
  PATIENT_MS = 400000,
  -- A last entry that was heard of within this time has a score that counts all before it.
  FRESH_MS = 2500,
  -- Signs of life that are older are dropped.
  OLD_BEAT_MS = 86400000,
  -- Length of a client id, with which each holder id begins.
  CLIENT_ID_LENGTH = 36,
  -- So many expired permits are returned by one call, and so many ids made at once.
  PERMITS_CHUNK = 1000,
  -- Redisson's word for a permit that does not expire.
  NEVER_EXPIRES = 922337203685477,
  -- How many numbers four bytes can hold.
  UINT32_COUNT = 4294967296,
  -- The largest count that Redisson can read.
  INT32_MAX = 2147483647,
  -- The smallest one.
  INT32_MIN = -2147483648,
}
