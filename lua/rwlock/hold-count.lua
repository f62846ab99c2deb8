-- rwlock/hold-count: how many holds one holder has of a read-write lock.
--
-- KEYS[1] lock       hash     mode, and holder -> number of holds; its TTL is the longest lease
-- KEYS[2] readers    zset     private: our readers -> end of their lease; its TTL is the lock's
-- ARGV[1] holder     string   the holder id whose holds are counted; that of a writer ends in
--                             ":write"
-- ARGV[2] stem       string   what the names of hold keys begin with
-- returns integer    the holder's holds, 0 when it has none or its lease has ended

-- include lib/now_ms
-- include lib/rw_left
-- include lib/rw_mode
local lock, readers, holder = KEYS[1], KEYS[2], ARGV[1]
local mode = rw_mode(lock)
if type(mode) == 'table' then
  return mode
end
local holds = redis.call('HGET', lock, holder)
if not holds then
  return 0
end
if
  string.sub(holder, -6) ~= ':write' and rw_left(readers, holder, holds, now_ms(), ARGV[2]) <= 0
then
  return 0
end
return tonumber(holds)
