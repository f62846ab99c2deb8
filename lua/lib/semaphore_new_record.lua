-- Returns the record of a counting semaphore that is about to be made, for semaphore_keep(). `old` is that
-- of an earlier semaphore of the name, if there is one; `ttl_ms` is the life of the semaphore, 0 for
-- no limit; `idle_ms` is its `idleMs`, if it has one. A record without a limit ends 30 days after its last use, since Java deletes none.
-- include lib/next_mark
local function semaphore_new_record(old, ttl_ms, total, is_stated, idle_ms)
  return {
    id = next_mark(old and old.id),
    added = {},
    removed = {},
    total = total,
    loose = 0,
    forgotten = 0,
    is_stated = is_stated,
    has_limit = ttl_ms > 0,
    idle_ms = idle_ms,
    sum = 0,
    last = 0,
    life_ms = ttl_ms > 0 and ttl_ms or GENERATION_TTL_MS,
  }
end
