-- rwlock/leave-line: no reader of a client waits any more; writers that stood back for it may go.
--
-- KEYS[1] lock       hash     mode, and holder -> number of holds; its TTL is the longest lease
-- KEYS[2] waiting    zset     private: client whose readers wait -> since when; lives 10 minutes
-- KEYS[3] beats      zset     private: who waits -> last sign of life; lives 10 minutes
-- ARGV[1] client     string   who leaves
-- ARGV[2] publish    string   PUBLISH or SPUBLISH
-- ARGV[3] channel    string   where waiters of the lock listen
-- returns integer    1 it stood in line, 0 it did not

-- include lib/tell
local is_free = redis.call('EXISTS', KEYS[1]) == 0
local left = redis.call('ZREM', KEYS[2], ARGV[1])
if left == 1 then
  redis.call('ZREM', KEYS[3], ARGV[1])
  if is_free then
    return tell(left, ARGV[2], ARGV[3], '0')
  end
end
return left
