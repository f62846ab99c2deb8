-- lock/release: state how many of a holder's holds are still alive, and free the lock at none.
--
-- With `tombstone_ms` it also sets a tombstone for the holder id: no later copy of its acquisition
-- is granted.
--
-- KEYS[1] lock         hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] tombstone    string   private: the tombstone of this holder id; lives for tombstone_ms
-- ARGV[1] holder       string   the holder id that releases
-- ARGV[2] count        integer  its holds that are still alive, re-entries under way included
-- ARGV[3] tombstone_ms integer  life of the tombstone; 0 sets none
-- ARGV[4] publish      string   PUBLISH or SPUBLISH
-- ARGV[5] channel      string   where waiters of the lock listen
-- returns integer    1 the lock is free, and 1 more for each connection that was notified; 0 other
--                    holds keep it; when the holder did not hold it: -1 it is held by another, -2
--                    it is free

-- include lib/notify
local lock, holder, count, tombstone_ms = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

if tombstone_ms > 0 then
  redis.call('SET', KEYS[2], '1', 'PX', tombstone_ms)
end
if redis.call('HEXISTS', lock, holder) == 0 then
  return redis.call('EXISTS', lock) == 1 and -1 or -2
end
if count > 0 then
  redis.call('HSET', lock, holder, count)
  return 0
end
local others = redis.call('HLEN', lock) - 1
redis.call('HDEL', lock, holder)
if others > 0 then
  return 0
end
return notify(1, ARGV[4], ARGV[5], '0', true)
