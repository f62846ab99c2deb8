-- lock/release: state how many of a holder's holds are still alive, and free the lock at none.
--
-- With `burn_ms` it also burns the holder id: no later copy of its acquisition is granted.
--
-- KEYS[1] lock       hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] cancelled  string   private: burns this holder id; lives for burn_ms
-- ARGV[1] holder     string   who releases
-- ARGV[2] count      integer  its holds still alive, re-entries under way included
-- ARGV[3] burn_ms    integer  0 burns nothing
-- ARGV[4] publish    string   PUBLISH or SPUBLISH
-- ARGV[5] channel    string   where waiters of the lock listen
-- returns integer    1 the lock is free, and 1 more for each connection that was told; 0 other holds
--                    keep it; when the holder had it not: -1 somebody else has it, -2 nobody has

-- include lib/tell
local lock, holder, count, burn_ms = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

if burn_ms > 0 then
  redis.call('SET', KEYS[2], '1', 'PX', burn_ms)
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
return tell(1, ARGV[4], ARGV[5], '0', true)
