-- semaphore/delete: remove a semaphore, at most once per request.
--
-- No waiter is notified: they wait until permits are set again. A client that was told their number sets
-- it again after a flush, and not after this.
--
-- KEYS[1] semaphore  string   available permits; no TTL unless the caller gave one
-- KEYS[2] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[3] record     hash     private: what is known of this semaphore, and its grants; has its TTL, or 30
--                             days since its last use
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] until_ms   integer  when it may be run no more, by the clock of the server; 0: at any time
-- returns string     1 it was there, 0 it was not; or why the request did not run

-- at maxmemory: carried out
-- include lib/request_keep_record
-- include lib/request_record
-- include lib/stored_count
-- include lib/semaphore_record

-- at most once: requests, number, until_ms
local semaphore = KEYS[1]
local stored, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
-- DEL would remove a record that is something else.
local _, is_deleted = semaphore_record(KEYS[3])
request_keep_record(requests, ARGV[2])
if stored then
  -- A user without the right is refused here, and nothing is deleted.
  redis.call('HSET', KEYS[3], 'deleted', 1)
end
local done = (stored or not is_deleted) and redis.pcall('DEL', semaphore, KEYS[3])
if type(done) == 'table' then
  redis.call('HDEL', KEYS[3], 'deleted')
  return done
end
if stored then
  redis.call('HSET', KEYS[3], 'deleted', 1)
  redis.call('PEXPIRE', KEYS[3], DELETED_TTL_MS)
end
return request_record(requests, number, stored and '1' or '0')
