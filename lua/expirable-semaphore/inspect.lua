-- expirable-semaphore/inspect: how many permits of a semaphore are left and how many are taken.
--
-- KEYS[1] semaphore  string   permits left; no TTL unless the caller gave one
-- KEYS[2] timeouts   zset     permit (16 bytes) -> ms at which it expires; has the semaphore's TTL
-- returns string     permits left, permits taken, and 1 when the semaphore is there, else 0

-- include lib/now_ms
-- include lib/stored_count
local left, wrong = stored_count(KEYS[1])
if wrong then
  return wrong
end
if not left then
  return '0 0 0'
end
-- Expired permits count as left, though they have not been returned to the pool yet.
local expired = redis.call('ZCOUNT', KEYS[2], '-inf', now_ms())
local taken = redis.call('ZCARD', KEYS[2]) - expired
return string.format('%.0f %.0f 1', left + expired, taken)
