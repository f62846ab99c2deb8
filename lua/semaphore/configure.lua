-- semaphore/configure: make a semaphore with the number of permits that an object declares, and say
-- how many are left and how many it has; at most once per request.
--
-- KEYS[1] semaphore  string   available permits; no TTL unless the caller gave one
-- KEYS[2] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[3] record     hash     private: what is known of this semaphore, and its grants; has its TTL, or 30
--                             days since its last use
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the semaphore listen
-- ARGV[5] setting    string   what the object declares: see lib/permits_setting
-- ARGV[6] until_ms   integer  when it may be run no more, by the clock of the server; 0: at any time
-- returns string     available permits, 1 when the semaphore exists, else 0, the total, and 1; or where the total
--                    is not known, what was left, and 0; or why the request did not run

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
-- include lib/semaphore_setting
-- include lib/semaphore_used
-- include lib/setting_idle
-- include lib/notify_made

-- at most once: requests, number, until_ms
local semaphore = KEYS[1]
local stored, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
local record, is_deleted = semaphore_record(KEYS[3])
local made, total = semaphore_setting(ARGV[5], stored, record, is_deleted)
local available = stored or made
if not available then
  -- It was deleted: nothing is done, and nothing has to be recorded.
  return '0 0 0 1'
end
needs_memory(requests)
request_keep_record(requests, ARGV[2])
permits_revive(KEYS[3], stored, is_deleted)
if made then
  record = semaphore_new_record(record, 0, made, true, setting_idle(ARGV[5]))
end
semaphore_idle(record, available)
if record and (made or stored and record.has_changed) then
  semaphore_keep(KEYS[3], record)
end
local refused = made and semaphore_change(semaphore, made, KEYS[3], record)
if refused then
  return refused
end
if stored then
  semaphore_used(semaphore, KEYS[3], record)
end
local view = string.format('%.0f 1 %.0f %.0f', available, total, record and 1 or 0)
local answer = request_record(requests, number, view)
if made then
  return notify_made(answer, made, ARGV[3], ARGV[4])
end
return answer
