-- expirable-semaphore/give-back: return what an acquisition took, and make sure that it never runs (again).
--
-- KEYS[1] semaphore  string   permits left; no TTL unless the caller gave one
-- KEYS[2] timeouts   zset     permit (16 bytes) -> ms at which it expires; has the semaphore's TTL
-- KEYS[3] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[4] queue      zset     private: wait queue, client -> rank; lives 10 minutes
-- KEYS[5] heartbeats zset     private: client -> its last heartbeat; lives 10 minutes
-- KEYS[6] leases     zset     private: permit -> when we wrote its lease; has the semaphore's TTL, or 30 days
-- ARGV[1] number     integer  number of the acquisition
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the semaphore listen
-- ARGV[5] client     string   the client that made the acquisition
-- ARGV[6] leaves     integer  1 the client leaves the wait queue, 0 it stays as it is
-- ARGV[7] may_run    integer  1 a copy of the acquisition may run later, 0 none can: nothing is recorded then
-- ARGV[*] claims     bytes    for each of its waiters the id of its first permit, and their number
-- returns integer    how many permits were returned that had not expired

-- at maxmemory: carried out
-- include lib/request_keep_record
-- include lib/request_recall
-- include lib/request_record
-- include lib/permits_return
-- include lib/notify_available
-- The number is recorded first: whatever the keys hold by now, the request is over.
if ARGV[7] == '1' and not request_recall(KEYS[3], ARGV[1]) then
  request_keep_record(KEYS[3], ARGV[2])
  request_record(KEYS[3], ARGV[1], 'cancelled')
end
local has_left = false
if ARGV[6] == '1' then
  has_left = redis.call('ZREM', KEYS[4], ARGV[5]) == 1
  redis.call('ZREM', KEYS[5], ARGV[5])
end
local claims = {}
for i = 8, #ARGV do
  claims[i - 7] = ARGV[i]
end
local held, available = permits_return(KEYS[1], KEYS[2], KEYS[6], claims, has_left)
return notify_available(held, available or 0, ARGV[3], ARGV[4])
