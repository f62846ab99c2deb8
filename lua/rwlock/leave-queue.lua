-- rwlock/leave-queue: take a client, whose readers have all stopped waiting, out of the wait queue.
--
-- Writers that waited for its readers are notified when the lock is free.
--
-- KEYS[1] lock       hash     mode, and holder -> number of holds; its TTL is the longest lease
-- KEYS[2] waiting    zset     private: client whose readers wait -> since when; lives 10 minutes
-- KEYS[3] heartbeats zset     private: client or writer -> its last heartbeat; lives 10 minutes
-- ARGV[1] client     string   the client that leaves the wait queue
-- ARGV[2] publish    string   PUBLISH or SPUBLISH
-- ARGV[3] channel    string   where waiters of the lock listen
-- returns integer    1 the client had an entry in the wait queue, 0 it had none

-- include lib/notify
local is_free = redis.call('EXISTS', KEYS[1]) == 0
local removed = redis.call('ZREM', KEYS[2], ARGV[1])
if removed == 1 then
  redis.call('ZREM', KEYS[3], ARGV[1])
  if is_free then
    return notify(removed, ARGV[2], ARGV[3], '0')
  end
end
return removed
