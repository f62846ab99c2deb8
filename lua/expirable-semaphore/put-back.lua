-- expirable-semaphore/put-back: undo an adoption that was given up: the permit has its old id again, for another
-- adopter.
--
-- The id of the adopter is burnt: no late copy of the adoption is carried out.
--
-- KEYS[1] semaphore    string   permits left; no TTL unless the caller gave one
-- KEYS[2] timeouts     zset     permit (16 bytes) -> ms at which it expires; has the semaphore's TTL
-- KEYS[3] leases       zset     private: permit -> when we wrote its lease; has the semaphore's TTL, or 30 days
-- KEYS[4] tombstone    string   private: that this adoption was given up; lives for tombstone_ms
-- ARGV[1] from         bytes    the id that the permit had
-- ARGV[2] to           bytes    the id of the adopter
-- ARGV[3] tombstone_ms integer  life of the tombstone
-- returns integer      1 it was put back, 0 there was nothing to put back

-- at maxmemory: carried out
-- include lib/now_ms
-- include lib/permits_rename
local semaphore, timeouts, leases = KEYS[1], KEYS[2], KEYS[3]
-- pcall: where the key holds something else, the tombstone is set all the same. At maxmemory the first write has
-- to be one that needs no memory.
redis.pcall('ZREM', leases, '')
redis.call('SET', KEYS[4], '1', 'PX', ARGV[3])
local expiry, now = tonumber(redis.call('ZSCORE', timeouts, ARGV[2]) or 0), now_ms()
if expiry <= now then
  return 0
end
permits_rename(semaphore, timeouts, leases, ARGV[2], ARGV[1], now, expiry, 0)
return 1
