-- rwlock/release-read: state how many of a reader's holds are still alive; the last reader that
-- leaves frees the lock.
--
-- With `burn_ms` it also burns the holder id: no later copy of its acquisition is granted.
--
-- KEYS[1] lock       hash     mode, and reader -> number of holds; its TTL is the longest lease
-- KEYS[2] cancelled  string   private: burns this holder id; lives for burn_ms
-- KEYS[3] readers    zset     private: our readers -> end of their lease; its TTL is the lock's
-- KEYS[*] holds      string   its first hold key, and those of the holds that are over
-- ARGV[1] holder     string   who releases
-- ARGV[2] count      integer  its holds still alive, re-entries under way included
-- ARGV[3] burn_ms    integer  0 burns nothing
-- ARGV[4] publish    string   PUBLISH or SPUBLISH
-- ARGV[5] channel    string   where waiters of the lock listen
-- ARGV[6] stem       string   what the names of hold keys begin with
-- returns integer    1 the lock is free, 0 other holds keep it, and when the holder had it not:
--                    -1 somebody writes, -2 nobody does

-- include lib/now_ms
-- include lib/rw_is_alive
-- include lib/rw_readers
-- include lib/tell
local lock, cancelled, readers = KEYS[1], KEYS[2], KEYS[3]
local holder, count, burn_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local first = 4

if burn_ms > 0 then
  redis.call('SET', cancelled, '1', 'PX', burn_ms)
end
local mode = redis.call('HGET', lock, 'mode')
local held = redis.call('HGET', lock, holder)
if not held then
  redis.call('ZREM', readers, holder)
  redis.call('DEL', unpack(KEYS, first))
  return mode == 'write' and -1 or -2
end
local now = now_ms()
local alive = rw_is_alive(readers, holder, KEYS[first], now)
local stays = alive and count > 0
if not stays and mode == 'read' and redis.call('HLEN', lock) == 2 then
  -- The mode and this reader: nobody else is there.
  redis.call('DEL', lock, readers, unpack(KEYS, first))
  return tell(alive and 1 or -2, ARGV[4], ARGV[5], '0')
end
if stays then
  redis.call('HSET', lock, holder, count)
  first = first + 1
else
  redis.call('ZREM', readers, holder)
  redis.call('HDEL', lock, holder)
end
local removed = first <= #KEYS and redis.pcall('DEL', unpack(KEYS, first))
if type(removed) == 'table' then
  redis.call('HSET', lock, holder, held)
  return removed
end
if stays then
  return 0
end
local freed = mode == 'read' and not rw_readers(lock, readers, now, ARGV[6])
local answer = not alive and -2 or freed and 1 or 0
if freed then
  return tell(answer, ARGV[4], ARGV[5], '0')
end
return answer
