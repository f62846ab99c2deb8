-- fair-lock/force-release: free a fair lock whoever holds it, at most once per request.
--
-- The first in the queue that can take it gets it then, or is notified.
--
-- KEYS[1] lock         hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] requests     zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[3] queue        list     wait queue: holder ids, the next one first
-- KEYS[4] timeouts     zset     waiting holder -> ms at which Java counts it as absent
-- KEYS[5] heartbeats   zset     private: client -> its last heartbeat in this queue
-- KEYS[6] tickets      hash     private: waiting holder -> its window, whether its client was seen
-- ARGV[1] number       integer  number of the request
-- ARGV[2] low_water    integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] publish      string   PUBLISH or SPUBLISH
-- ARGV[4] channel      string   what the channel of each waiter begins with
-- ARGV[5] tombstones   string   what the names of tombstones begin with
-- ARGV[6] tombstone_ms integer  life of a tombstone
-- ARGV[7] until_ms     integer  when it may be run no more, by the clock of the server; 0: at any time
-- returns string     1 it was held, 0 it was free; or why the request did not run

-- at maxmemory: carried out
-- include lib/fair_serve
-- include lib/lock_foreign
-- include lib/request_keep_record
-- include lib/request_record
-- include lib/notify_ended
-- include lib/clients_of_holders
-- include lib/tombstones_set

-- at most once: requests, number, until_ms
local lock = KEYS[1]
local wrong = lock_foreign(lock)
if wrong then
  return wrong
end
request_keep_record(requests, ARGV[2])
local fields = tombstones_set(lock, ARGV[5], ARGV[6])
local clients = clients_of_holders(fields)
local own = string.sub(requests, -CLIENT_ID_LENGTH)
local told = #fields > 0 and fair_serve(lock, KEYS[3], KEYS[4], KEYS[5], KEYS[6], ARGV[3], ARGV[4])
if told and told.is_granted then
  -- The key stays, and with it the lease of the grant.
  for i = 1, #fields, 2 do
    redis.call('HDEL', lock, fields[i])
  end
else
  redis.call('DEL', lock)
end
local answer = request_record(requests, number, #fields > 0 and '1' or '0')
if not told then
  return notify_ended(answer, lock, clients, own)
end
return notify_ended(answer, lock, clients, own, told.command, told.channel, told.payload)
