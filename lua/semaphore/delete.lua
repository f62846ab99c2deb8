-- semaphore/delete: remove a semaphore, at most once per request.
--
-- No waiter is notified: they wait until permits are set again.
--
-- KEYS[1] semaphore  string   available permits; no TTL unless the caller gave one
-- KEYS[2] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[3] record     hash     private: what is known of this semaphore, and its grants; has its TTL, or 30
--                             days since its last use
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- returns string     1 it was there, 0 it was not; or why the request did not run

-- at maxmemory: carried out
-- include lib/request_keep_record
-- include lib/request_record
-- include lib/stored_count
-- include lib/semaphore_record

-- at most once: requests, number
local semaphore = KEYS[1]
local _, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
-- DEL would remove a record that is something else.
semaphore_record(KEYS[3])
request_keep_record(requests, ARGV[2])
local deleted = redis.call('DEL', semaphore)
redis.call('DEL', KEYS[3])
return request_record(requests, number, tostring(deleted))
