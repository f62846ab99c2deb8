-- fair-lock/force-release: free a fair lock whoever holds it, at most once per request, and notify
-- the head of its queue.
--
-- KEYS[1] lock         hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] requests     zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[3] queue        list     wait queue: holder ids, the next one first
-- KEYS[4] timeouts     zset     waiting holder -> ms at which Java counts it as absent
-- KEYS[5] heartbeats   zset     private: client -> its last heartbeat in this queue
-- ARGV[1] number       integer  number of the request
-- ARGV[2] low_water    integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] publish      string   PUBLISH or SPUBLISH
-- ARGV[4] channel      string   what the channel of each waiter begins with
-- ARGV[5] tombstones   string   what the names of tombstones begin with
-- ARGV[6] tombstone_ms integer  life of a tombstone
-- returns string     1 it was held, 0 it was free; or why the request did not run

-- include lib/fair_head_to_notify
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
local head = fair_head_to_notify(KEYS[3], KEYS[4], KEYS[5])
local answer = request_record(requests, number, tostring(redis.call('DEL', lock)))
local payload = answer == '1' and head and '0'
local channel = ARGV[4] .. ':' .. (head or '')
return notify_ended(answer, lock, clients, own, ARGV[3], channel, payload)
