-- semaphore/add-permits: change the number of permits, at most once per request.
--
-- KEYS[1] semaphore  string   available permits; no TTL unless the caller gave one
-- KEYS[2] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[3] marks      string   private: mark of this semaphore alone; has its TTL, or 30 days
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the semaphore listen
-- ARGV[5] delta      integer  how many permits are added; a negative number takes some away, below
--                             zero too
-- returns string     permits there are now; "full" and the permits there are, when the sum does not
--                    fit into 32 bits; or why the request did not run

-- include lib/request_keep_record
-- include lib/needs_memory
-- include lib/request_record
-- include lib/stored_count
-- include lib/semaphore_new_generation
-- include lib/notify_available

-- at most once: requests, number
local semaphore = KEYS[1]
local stored, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
local available = stored or 0
needs_memory(requests)
request_keep_record(requests, ARGV[2])
local sum = available + ARGV[5]
if sum > INT32_MAX or sum < INT32_MIN then
  return request_record(requests, number, string.format('full %.0f', available))
end
if not stored then
  semaphore_new_generation(KEYS[3], 0)
end
redis.call('INCRBY', semaphore, ARGV[5])
local answer = request_record(requests, number, string.format('%.0f', sum))
if tonumber(ARGV[5]) > 0 then
  return notify_available(answer, sum, ARGV[3], ARGV[4])
end
return answer
