-- expirable-semaphore/adopt: give a permit that was detached another id, that of its adopter.
--
-- From then on nothing that is sent under the old id finds a permit. A copy is answered as the first one, while
-- the adopter has the permit, and else changes nothing.
--
-- KEYS[1] semaphore  string   permits left; no TTL unless the caller gave one
-- KEYS[2] timeouts   zset     permit (16 bytes) -> ms at which it expires; has the semaphore's TTL
-- KEYS[3] leases     zset     private: permit -> when we wrote its lease; has the semaphore's TTL, or 30 days
-- KEYS[4] queue      zset     private: wait queue, client -> rank; lives 10 minutes
-- KEYS[5] tombstone  string   private: exists when this adoption was given up
-- ARGV[1] from       bytes    the id that the permit has
-- ARGV[2] to         bytes    the id that it gets
-- ARGV[3] lease_ms   integer  the least lease to have from now on
-- returns string     ms left on the lease, 1 if others wait, else 0, and ms that the semaphore lives (-1: no
--                    limit); "-" there is no such permit

-- at maxmemory: carried out
-- include lib/now_ms
-- include lib/permits_rename
-- include lib/stored_count
local semaphore, timeouts, leases, from, to = KEYS[1], KEYS[2], KEYS[3], ARGV[1], ARGV[2]
local pool, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
local now = now_ms()
local id, expiry = to, redis.call('ZSCORE', timeouts, to)
if not expiry and redis.call('EXISTS', KEYS[5]) == 0 then
  id, expiry = from, redis.call('ZSCORE', timeouts, from)
end
local end_ms = tonumber(expiry or 0)
if not pool or end_ms <= now then
  return '-'
end
local left_ms, life_ms =
  permits_rename(semaphore, timeouts, leases, id, to, now, end_ms, tonumber(ARGV[3]))
return string.format('%.0f %.0f %.0f', left_ms, redis.call('EXISTS', KEYS[4]), life_ms)
