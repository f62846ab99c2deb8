-- rwlock/release-write: state how many of a writer's holds are still alive; at none the lock is
-- free, or goes on as its own readers' (downgrade). A writer that waits leaves its line.
--
-- With `burn_ms` it also burns the holder id: no later copy of its acquisition is granted.
--
-- KEYS[1] lock       hash     mode, and holder -> number of holds; its TTL is the longest lease
-- KEYS[2] cancelled  string   private: burns this holder id; lives for burn_ms
-- KEYS[3] writers    zset     private: waiting writer -> since when; lives 10 minutes
-- KEYS[4] beats      zset     private: who waits -> last sign of life; lives 10 minutes
-- KEYS[5] readers    zset     private: our readers -> end of their lease; its TTL is the lock's
-- ARGV[1] holder     string   who releases
-- ARGV[2] count      integer  its holds still alive, re-entries under way included
-- ARGV[3] burn_ms    integer  0 burns nothing
-- ARGV[4] publish    string   PUBLISH or SPUBLISH
-- ARGV[5] channel    string   where waiters of the lock listen
-- ARGV[6] stem       string   what the names of hold keys begin with
-- returns integer    1 nobody writes any more, 0 other holds keep it, and when the holder had it
--                    not: -1 somebody else has it, -2 nobody has

-- include lib/now_ms
-- include lib/rw_readers
-- include lib/tell
local lock, cancelled, writers, beats = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local holder, count, burn_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local field = holder .. ':write'

if burn_ms > 0 then
  redis.call('SET', cancelled, '1', 'PX', burn_ms)
end
if redis.call('HEXISTS', lock, field) == 0 then
  local answer = redis.call('EXISTS', lock) == 1 and -1 or -2
  if redis.call('ZREM', writers, holder) == 1 then
    redis.call('ZREM', beats, holder)
    -- Readers that stood back for it may come in.
    if redis.call('HGET', lock, 'mode') ~= 'write' then
      return tell(answer, ARGV[4], ARGV[5], '1')
    end
  end
  return answer
end
if count > 0 then
  redis.call('HSET', lock, field, count)
  return 0
end
if redis.call('HLEN', lock) == 2 then
  -- The mode and the writer: nobody else is there.
  redis.call('DEL', lock)
else
  local now = now_ms()
  redis.call('HSET', lock, 'mode', 'read')
  local removed = redis.pcall('HDEL', lock, field)
  if type(removed) == 'table' then
    redis.call('HSET', lock, 'mode', 'write')
    return removed
  end
  -- Frees it when the leases of its own readers have ended before.
  rw_readers(lock, KEYS[5], now, ARGV[6])
end
-- Also after a downgrade: every reader that waits can come in now.
return tell(1, ARGV[4], ARGV[5], '1')
