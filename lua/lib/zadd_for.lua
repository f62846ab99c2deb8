-- Adds to a zset that lives for `ttl_ms` from now. The TTL of one that is new is asked for before as
-- well, while there is none: whoever may not set it is refused before anything is written.
local function zadd_for(key, ttl_ms, ...)
  local is_new = redis.call('PEXPIRE', key, ttl_ms) == 0
  local added = redis.call('ZADD', key, ...)
  if is_new then
    redis.call('PEXPIRE', key, ttl_ms)
  end
  return added
end
