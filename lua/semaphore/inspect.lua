-- semaphore/inspect: how many permits a semaphore has left, and whether any were set.
--
-- KEYS[1] semaphore  string   available permits; no TTL unless the caller gave one
-- returns string     available permits, and 1 when the semaphore exists, else 0

-- include lib/semaphore_available
local available, exists = semaphore_available(KEYS[1])
if not available then
  return redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
end
return string.format('%.0f %.0f', available, exists and 1 or 0)
