-- semaphore/drain-permits: take all permits that are left, at most once per request.
--
-- KEYS[1] semaphore  string   available permits; no TTL unless the caller gave one
-- KEYS[2] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[3] marks      string   private: mark of this semaphore alone; has its TTL, or 30 days
-- KEYS[4] totals     zset     private: its total; has the TTL of the mark
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] setting    string   what the client was told of the number of permits; empty: nothing new
-- returns string     how many permits it took, with a note about the setting; or why the request did
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

-- at most once: requests, number
local semaphore, setting = KEYS[1], ARGV[3]
local stored, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
local mark = semaphore_generation(KEYS[3])
local total = setting ~= '' and stored and semaphore_total(KEYS[4], mark, stored)
local made, note = permits_setting(setting, stored, total)
local taken = math.max(stored or made or 0, 0)
if made then
  needs_memory(requests)
end
request_keep_record(requests, ARGV[2])
if made then
  semaphore_new_generation(KEYS[3], KEYS[4], 0, made, 0)
end
if made or taken > 0 then
  redis.call('DECRBY', semaphore, string.format('%.0f', taken - (made or 0)))
end
if not made and taken > 0 then
  semaphore_move_total(KEYS[4], -taken, 0)
end
return request_record(requests, number, string.format('%.0f', taken) .. note)
