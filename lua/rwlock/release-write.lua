-- rwlock/release-write: state how many of a writer's holds are still alive; at none the lock is
-- free, or goes on in read mode for the readers that the writer has (downgrade). A writer that
-- waits leaves the wait queue.
--
-- With `tombstone_ms` it also sets a tombstone for the holder id: no later copy of its acquisition
-- is granted.
--
-- KEYS[1] lock         hash     mode, and holder -> number of holds; its TTL is the longest lease
-- KEYS[2] tombstone    string   private: the tombstone of this holder id; lives for tombstone_ms
-- KEYS[3] writers      zset     private: waiting writer -> since when; lives 10 minutes
-- KEYS[4] heartbeats   zset     private: client or writer -> its last heartbeat; lives 10 minutes
-- KEYS[5] readers      zset     private: our readers -> end of their lease; its TTL is the lock's
-- ARGV[1] holder       string   the holder id that releases
-- ARGV[2] count        integer  its holds that are still alive, re-entries under way included
-- ARGV[3] tombstone_ms integer  life of the tombstone; 0 sets none
-- ARGV[4] publish      string   PUBLISH or SPUBLISH
-- ARGV[5] channel      string   where waiters of the lock listen
-- ARGV[6] stem         string   what the names of hold keys begin with
-- returns integer    1 nobody writes any more, 0 other holds keep the lock; when the holder did not
--                    hold it: -1 it is held by another, -2 it is free

-- include lib/now_ms
-- include lib/rw_readers
-- include lib/notify
local lock, tombstone, writers, heartbeats = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local holder, count, tombstone_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local field = holder .. ':write'

if tombstone_ms > 0 then
  redis.call('SET', tombstone, '1', 'PX', tombstone_ms)
end
if redis.call('HEXISTS', lock, field) == 0 then
  local answer = redis.call('EXISTS', lock) == 1 and -1 or -2
  if redis.call('ZREM', writers, holder) == 1 then
    redis.call('ZREM', heartbeats, holder)
    -- Readers that waited for this writer may get in.
    if redis.call('HGET', lock, 'mode') ~= 'write' then
      return notify(answer, ARGV[4], ARGV[5], '1')
    end
  end
  return answer
end
if count > 0 then
  redis.call('HSET', lock, field, count)
  return 0
end
if redis.call('HLEN', lock) == 2 then
  -- The hash holds the mode and the writer only.
  redis.call('DEL', lock)
else
  local now = now_ms()
  redis.call('HSET', lock, 'mode', 'read')
  local removed = redis.pcall('HDEL', lock, field)
  if type(removed) == 'table' then
    redis.call('HSET', lock, 'mode', 'write')
    return removed
  end
  -- This frees the lock when the leases of the writer's own readers have ended before.
  rw_readers(lock, KEYS[5], now, ARGV[6])
end
-- Waiters are notified after a downgrade as well: every reader that waits can get in now.
return notify(1, ARGV[4], ARGV[5], '1')
