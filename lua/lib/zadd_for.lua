-- Adds to a zset that lives for `ttl_ms` from now. The TTL is set before the first member as well,
-- which changes nothing: a user who may not set a TTL is refused before anything is written.
local function zadd_for(key, ttl_ms, ...)
  local is_new = redis.call('PEXPIRE', key, ttl_ms) == 0
  local added = redis.call('ZADD', key, ...)
  if is_new then
    redis.call('PEXPIRE', key, ttl_ms)
  end
  return added
end
