-- rwlock/release-read: state how many of a reader's holds are still alive; the last reader that
-- leaves frees the lock.
--
-- With `tombstone_ms` it also sets a tombstone for the holder id: no later copy of its acquisition
-- is granted.
--
-- KEYS[1] lock         hash     mode, and reader -> number of holds; its TTL is the longest lease
-- KEYS[2] tombstone    string   private: the tombstone of this holder id; lives for tombstone_ms
-- KEYS[3] readers      zset     private: our readers -> end of their lease; its TTL is the lock's
-- KEYS[*] holds        string   the first hold key, and those of the holds that are over
-- ARGV[1] holder       string   the holder id that releases
-- ARGV[2] count        integer  its holds that are still alive, re-entries under way included
-- ARGV[3] tombstone_ms integer  life of the tombstone; 0 sets none
-- ARGV[4] publish      string   PUBLISH or SPUBLISH
-- ARGV[5] channel      string   where waiters of the lock listen
-- ARGV[6] stem         string   what the names of hold keys begin with
-- returns integer    1 the lock is free, 0 other holds keep it; when the holder did not hold it: -1
--                    it is held by a writer, -2 it is not

-- include lib/now_ms
-- include lib/rw_is_alive
-- include lib/rw_readers
-- include lib/notify
local lock, tombstone, readers = KEYS[1], KEYS[2], KEYS[3]
local holder, count, tombstone_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local first = 4

if tombstone_ms > 0 then
  redis.call('SET', tombstone, '1', 'PX', tombstone_ms)
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
  -- The hash holds the mode and this reader only.
  redis.call('DEL', lock, readers, unpack(KEYS, first))
  return notify(alive and 1 or -2, ARGV[4], ARGV[5], '0')
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
  return notify(answer, ARGV[4], ARGV[5], '0')
end
return answer
