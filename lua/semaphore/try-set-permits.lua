-- semaphore/try-set-permits: set the permits of a semaphore that has none yet, at most once per
-- request.
--
-- KEYS[1] semaphore  string   available permits; no TTL unless the caller gives one
-- KEYS[2] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[3] record     hash     private: what is known of this semaphore, and its grants; has its TTL, or 30
--                             days since its last use
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the semaphore listen
-- ARGV[5] permits    integer  how many permits to set, at least 0
-- ARGV[6] ttl_ms     integer  life of the semaphore, 0 for no limit; below 0: minus its idleMs
-- ARGV[7] until_ms   integer  when it may be run no more, by the clock of the server; 0: at any time
-- returns string     1 they were set, 0 some were set already; or why the request did not run

-- include lib/request_keep_record
-- include lib/needs_memory
-- include lib/request_record
-- include lib/stored_count
-- include lib/set_for
-- include lib/semaphore_keep
-- include lib/semaphore_new_record
-- include lib/semaphore_idle
-- include lib/semaphore_used
-- include lib/permits_revive
-- include lib/semaphore_record
-- include lib/notify_made

-- at most once: requests, number, until_ms
local semaphore, permits, ttl_ms = KEYS[1], tonumber(ARGV[5]), tonumber(ARGV[6])
local stored, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
local old, is_deleted = semaphore_record(KEYS[3])
needs_memory(requests)
request_keep_record(requests, ARGV[2])
permits_revive(KEYS[3], stored, is_deleted)
if stored then
  semaphore_idle(old, stored)
  semaphore_used(semaphore, KEYS[3], old)
  return request_record(requests, number, '0')
end
local idle_ms = ttl_ms < 0 and -ttl_ms or nil
local record = semaphore_new_record(old, math.max(ttl_ms, 0), permits, false, idle_ms)
semaphore_idle(record, permits)
semaphore_keep(KEYS[3], record)
set_for(semaphore, ARGV[5], record.end_ms or ttl_ms)
local answer = request_record(requests, number, '1')
return notify_made(answer, permits, ARGV[3], ARGV[4])
