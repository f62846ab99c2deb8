-- expirable-semaphore/try-set: set the number of permits unless one is set, at most once per request.
--
-- KEYS[1] semaphore  string   permits left; no TTL unless the caller gives one
-- KEYS[2] timeouts   zset     permit (16 bytes) -> ms at which it expires; has the semaphore's TTL
-- KEYS[3] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[4] leases     zset     private: permit -> when we wrote its lease, and the number of permits; has the
--                             semaphore's TTL, or 30 days
-- KEYS[5] deleted    string   private: the semaphore was deleted; lives 24 hours, or until it is made again
-- KEYS[*] twin       string   the name with which this one shares its permits, where there is one
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] permits    integer  how many permits to set
-- ARGV[4] ttl_ms     integer  life of the semaphore, 0 for no limit; below 0: minus its idleMs
-- ARGV[5] publish    string   PUBLISH or SPUBLISH
-- ARGV[6] channel    string   where waiters of the semaphore listen
-- ARGV[7] until_ms   integer  when it may be run no more, by the clock of the server; 0: at any time
-- returns string     1 it was set, 0 one was set already; or why the request did not run

-- include lib/request_keep_record
-- include lib/needs_memory
-- include lib/request_record
-- include lib/now_ms
-- include lib/stored_count
-- include lib/set_for
-- include lib/notify_made
-- include lib/leases_set_total
-- include lib/permits_revive
-- include lib/permits_twin_refusal
-- include lib/leases_idle
-- include lib/leases_set_idle
-- include lib/permits_used

-- at most once: requests, number, until_ms
local semaphore, timeouts, leases = KEYS[1], KEYS[2], KEYS[4]
-- These come first: they fail where a key holds something else.
redis.call('ZCARD', timeouts)
local idle_ms = leases_idle(leases)
local is_deleted = redis.call('GET', KEYS[5])
local left, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
needs_memory(requests)
request_keep_record(requests, ARGV[2])
permits_revive(KEYS[5], left, is_deleted)
if left and idle_ms then
  permits_used(semaphore, timeouts, leases, idle_ms, now_ms())
end
if left then
  return request_record(requests, number, '0')
end
local refusal = permits_twin_refusal(timeouts, unpack(KEYS, 6))
if refusal then
  return refusal
end
-- What is left are permits of an earlier semaphore, whose key had a TTL of its own.
redis.call('UNLINK', timeouts, leases, KEYS[5])
local ttl_ms = tonumber(ARGV[4])
if ttl_ms < 0 then
  leases_set_idle(leases, -ttl_ms)
end
local life_ms = ttl_ms < 0 and math.max(-ttl_ms, KEPT_MIN_MS) or ttl_ms
leases_set_total(leases, tonumber(ARGV[3]), life_ms)
set_for(semaphore, ARGV[3], life_ms)
if ttl_ms < 0 then
  redis.call('PEXPIRE', leases, life_ms)
end
local answer = request_record(requests, number, '1')
return notify_made(answer, tonumber(ARGV[3]), ARGV[5], ARGV[6])
