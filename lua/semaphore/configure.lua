-- semaphore/configure: make a semaphore with the number of permits that the client was told, or
-- compare them, and say how many are left; at most once per request.
--
-- KEYS[1] semaphore  string   available permits; no TTL unless the caller gave one
-- KEYS[2] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[3] record     hash     private: what is known of this semaphore, and its grants; has its TTL, or 30
--                             days since its last use
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the semaphore listen
-- ARGV[5] setting    string   what the client was told of the number of permits
-- returns string     available permits, and 1 when the semaphore exists, else 0, with a note about
--                    the setting; or why the request did not run

-- include lib/request_keep_record
-- include lib/needs_memory
-- include lib/request_record
-- include lib/stored_count
-- include lib/semaphore_keep
-- include lib/semaphore_new_record
-- include lib/permits_revive
-- include lib/semaphore_record
-- include lib/semaphore_setting
-- include lib/notify_made

-- at most once: requests, number
local semaphore = KEYS[1]
local stored, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
local record, is_deleted = semaphore_record(KEYS[3])
local made, note = semaphore_setting(ARGV[5], stored, record, is_deleted)
local available = stored or made
if not available then
  -- It was deleted: nothing is done, and nothing has to be recorded.
  return '0 0' .. note
end
needs_memory(requests)
request_keep_record(requests, ARGV[2])
permits_revive(KEYS[3], stored, is_deleted)
if made then
  record = semaphore_new_record(record, 0, made, true)
end
if record and (made or stored and record.has_changed) then
  semaphore_keep(KEYS[3], record)
end
if made then
  redis.call('INCRBY', semaphore, string.format('%.0f', made))
end
local view = string.format('%.0f 1', available)
local answer = request_record(requests, number, view .. note)
if made then
  return notify_made(answer, made, ARGV[3], ARGV[4])
end
return answer
