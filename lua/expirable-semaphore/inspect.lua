-- expirable-semaphore/inspect: how many permits of a semaphore are left and how many are taken.
--
-- KEYS[1] semaphore  string   permits left; no TTL unless the caller gave one
-- KEYS[2] timeouts   zset     permit (16 bytes) -> ms at which it expires; has the semaphore's TTL
-- KEYS[3] leases     zset     private: permit -> when we wrote its lease, and the number of permits; has the
--                             semaphore's TTL, or 30 days
-- returns string     permits left, permits taken, and 1 when the semaphore is there, else 0

-- include lib/now_ms
-- include lib/stored_count
-- include lib/leases_missing
local left, wrong = stored_count(KEYS[1])
if wrong then
  return wrong
end
if not left then
  return '0 0 0'
end
-- Expired permits count as left, though they have not been returned to the pool yet.
local expired = redis.call('ZCOUNT', KEYS[2], '-inf', now_ms())
local taken = redis.call('ZCARD', KEYS[2])
-- Missing ones do as well: an acquisition puts them back.
local missing = leases_missing(KEYS[3], left, taken)
return string.format('%.0f %.0f 1', left + missing + expired, taken - expired)
