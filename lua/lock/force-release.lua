-- lock/force-release: free a lock whoever holds it, at most once per request.
--
-- KEYS[1] lock         hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] requests     zset     private: this client's requests on this object; lives 30 minutes
-- ARGV[1] number       integer  number of the request
-- ARGV[2] low_water    integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] publish      string   PUBLISH or SPUBLISH
-- ARGV[4] channel      string   where waiters of the lock listen
-- ARGV[5] tombstones   string   what the names of tombstones begin with
-- ARGV[6] tombstone_ms integer  life of a tombstone
-- returns string     1 it was held, 0 it was free; or why the request did not run

-- include lib/lock_not_read_write
-- include lib/request_keep_record
-- include lib/request_record
-- include lib/notify_ended
-- include lib/clients_of_holders
-- include lib/tombstones_set

-- at most once: requests, number
local lock = KEYS[1]
local wrong = lock_not_read_write(lock)
if wrong then
  return wrong
end
request_keep_record(requests, ARGV[2])
local clients = clients_of_holders(tombstones_set(lock, ARGV[5], ARGV[6]))
local own = string.sub(requests, -CLIENT_ID_LENGTH)
local answer = request_record(requests, number, tostring(redis.call('DEL', lock)))
local payload = answer == '1' and '0'
return notify_ended(answer, lock, clients, own, ARGV[3], ARGV[4], payload)
