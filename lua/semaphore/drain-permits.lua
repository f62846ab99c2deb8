-- semaphore/drain-permits: take all permits that are left, at most once per request.
--
-- KEYS[1] semaphore  string   available permits; no TTL unless the caller gave one
-- KEYS[2] requests   zset     private: this client's requests on this object; lives 30 minutes
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- returns string     how many permits it took; or why the request did not run

-- include lib/request_keep_record
-- include lib/request_record
-- include lib/stored_count

-- at most once: requests, number
local semaphore = KEYS[1]
local stored, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
local available = stored or 0
request_keep_record(requests, ARGV[2])
if available > 0 then
  redis.call('DECRBY', semaphore, string.format('%.0f', available))
end
return request_record(requests, number, string.format('%.0f', math.max(available, 0)))
