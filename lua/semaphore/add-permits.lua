-- semaphore/add-permits: change the number of permits, at most once per request.
--
-- KEYS[1] semaphore  string   available permits; no TTL unless the caller gave one
-- KEYS[2] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[3] marks      string   private: mark of this semaphore alone; has its TTL, or 30 days
-- KEYS[4] totals     zset     private: its total; has the TTL of the mark
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the semaphore listen
-- ARGV[5] delta      integer  how many permits are added; a negative number takes some away, below
--                             zero too
-- ARGV[6] setting    string   what the client was told of the number of permits; empty: nothing new
-- returns string     permits there are now; "full" and the permits there are, when the sum does not
--                    fit into 32 bits; both with a note about the setting; or why the request did
--                    not run

-- include lib/request_keep_record
-- include lib/needs_memory
-- include lib/request_record
-- include lib/stored_count
-- include lib/permits_setting
-- include lib/semaphore_generation
-- include lib/semaphore_new_generation
-- include lib/semaphore_total
-- include lib/semaphore_move_total
-- include lib/notify_available

-- at most once: requests, number
local semaphore, setting = KEYS[1], ARGV[6]
local stored, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
local mark = semaphore_generation(KEYS[3])
local total = setting ~= '' and stored and semaphore_total(KEYS[4], mark, stored)
local made, note = permits_setting(setting, stored, total)
local available = (stored or 0) + (made or 0)
needs_memory(requests)
request_keep_record(requests, ARGV[2])
local sum = available + ARGV[5]
if sum > INT32_MAX or sum < INT32_MIN then
  local refused = string.format('full %.0f', available) .. (made and '!' or note)
  return request_record(requests, number, refused)
end
if not stored then
  semaphore_new_generation(KEYS[3], KEYS[4], 0, sum, sum)
end
redis.call('INCRBY', semaphore, string.format('%.0f', (made or 0) + ARGV[5]))
if stored then
  semaphore_move_total(KEYS[4], tonumber(ARGV[5]), tonumber(ARGV[5]))
end
local answer = request_record(requests, number, string.format('%.0f', sum) .. note)
if made or tonumber(ARGV[5]) > 0 then
  return notify_available(answer, sum, ARGV[3], ARGV[4])
end
return answer
