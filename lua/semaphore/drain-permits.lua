-- semaphore/drain-permits: take all permits that are left, at most once per request.
--
-- KEYS[1] semaphore  string   available permits; no TTL unless the caller gave one
-- KEYS[2] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[3] record     hash     private: what is known of this semaphore, and its grants; has its TTL, or 30
--                             days since its last use
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] declared   string   empty: the object declares no number; else its idleMs, 0: none
-- ARGV[4] until_ms   integer  when it may be run no more, by the clock of the server; 0: at any time
-- returns string     how many permits it took; "none" where there is no semaphore that declares a number, and
--                    none was deleted: nothing was done; or why the request did not run

-- at maxmemory: carried out
-- include lib/request_keep_record
-- include lib/request_record
-- include lib/stored_count
-- include lib/semaphore_change
-- include lib/semaphore_idle
-- include lib/semaphore_keep
-- include lib/permits_revive
-- include lib/semaphore_record
-- include lib/semaphore_used

-- at most once: requests, number, until_ms
local semaphore = KEYS[1]
local stored, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
local record, is_deleted = semaphore_record(KEYS[3])
if not stored and not is_deleted and ARGV[3] ~= '' then
  request_keep_record(requests, ARGV[2])
  return request_record(requests, number, 'none')
end
local taken = math.max(stored or 0, 0)
request_keep_record(requests, ARGV[2])
permits_revive(KEYS[3], stored, is_deleted)
if stored then
  semaphore_idle(record, stored - taken)
end
if record and record.idle_ms and taken > 0 then
  -- What is known of it ends no sooner than the semaphore.
  semaphore_keep(KEYS[3], record)
end
local refused = taken > 0 and semaphore_change(semaphore, -taken, KEYS[3], record)
if refused then
  return refused
end
if stored and taken == 0 then
  semaphore_used(semaphore, KEYS[3], record)
end
return request_record(requests, number, string.format('%.0f', taken))
