-- semaphore/add-permits: change the number of permits, at most once per request.
--
-- KEYS[1] semaphore  string   available permits; no TTL unless the caller gave one
-- KEYS[2] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[3] record     hash     private: what is known of this semaphore, and its grants; has its TTL, or 30
--                             days since its last use
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the semaphore listen
-- ARGV[5] delta      integer  how many permits are added; a negative number takes some away, below
--                             zero too
-- ARGV[6] declared   string   empty: the object declares no number; else its idleMs, 0: none
-- ARGV[7] until_ms   integer  when it may be run no more, by the clock of the server; 0: at any time
-- returns string     permits there are now; "full" and the permits there are, when the sum does not
--                    fit into 32 bits; "none" where there is no semaphore for an object that declares a
--                    number, and none was deleted: nothing was done; or why the request did not run

-- include lib/request_keep_record
-- include lib/needs_memory
-- include lib/request_record
-- include lib/stored_count
-- include lib/semaphore_change
-- include lib/semaphore_idle
-- include lib/semaphore_keep
-- include lib/semaphore_new_record
-- include lib/permits_revive
-- include lib/semaphore_record
-- include lib/notify_available
-- include lib/notify_made

-- at most once: requests, number, until_ms
local semaphore, delta = KEYS[1], tonumber(ARGV[5])
local stored, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
local record, is_deleted = semaphore_record(KEYS[3])
if not stored and not is_deleted and ARGV[6] ~= '' then
  needs_memory(requests)
  request_keep_record(requests, ARGV[2])
  return request_record(requests, number, 'none')
end
local available, idle_ms = stored or 0, tonumber(ARGV[6]) or 0
needs_memory(requests)
request_keep_record(requests, ARGV[2])
permits_revive(KEYS[3], stored, is_deleted)
local sum = available + delta
if sum > INT32_MAX or sum < INT32_MIN then
  return request_record(requests, number, string.format('full %.0f', available))
end
if not stored then
  record = semaphore_new_record(record, 0, sum, false, idle_ms > 0 and idle_ms or nil)
elseif record then
  record.total, record.has_changed = record.total + delta, true
end
semaphore_idle(record, sum)
if record then
  semaphore_keep(KEYS[3], record)
end
local refused = semaphore_change(semaphore, delta, KEYS[3], record)
if refused then
  return refused
end
local answer = request_record(requests, number, string.format('%.0f', sum))
if not stored then
  return notify_made(answer, sum, ARGV[3], ARGV[4])
elseif delta > 0 then
  return notify_available(answer, sum, ARGV[3], ARGV[4])
end
return answer
