-- rwlock/lease: how long one side of a read-write lock is still held.
--
-- The longest lease of our own readers is known at once. Those of Redisson have no order: the hash
-- is read for them page by page, until a lease is found that answers the question.
--
-- KEYS[1] lock       hash     mode, and holder -> number of holds; its TTL is the longest lease
-- KEYS[2] readers    zset     private: our readers -> end of their lease; its TTL is the lock's
-- ARGV[1] side       string   the side that is asked about: read or write
-- ARGV[2] cursor     string   0, or what the page before this one ended with
-- ARGV[3] enough_ms  integer  a lease of this length answers the question
-- ARGV[4] stem       string   what the names of hold keys begin with
-- returns string     cursor of the next page or 0, and the longest lease on this page: ms, -1 no
--                    limit, -2 there is none

-- include lib/now_ms
-- include lib/rw_last
-- include lib/rw_left
-- include lib/rw_mode
local lock, readers, now = KEYS[1], KEYS[2], now_ms()
local mode = rw_mode(lock)
if type(mode) == 'table' then
  return mode
end
local ttl = redis.call('PTTL', lock)
if ARGV[1] == 'write' then
  return '0 ' .. (mode == 'write' and ttl or -2)
end
-- No lease of a reader is longer than the TTL of the lock; our clock may be 1 ms behind it.
local enough = math.min(tonumber(ARGV[3]), ttl > 0 and ttl - 1 or math.huge)
local longest = ARGV[2] == '0' and rw_last(lock, readers, now) or -2
-- One field is `mode`. Are all the others readers of ours?
if
  longest >= enough
  or longest > 0 and redis.call('HLEN', lock) - 1 == redis.call('ZCARD', readers)
then
  return '0 ' .. string.format('%.0f', longest)
end
local page = redis.call('HSCAN', lock, ARGV[2], 'COUNT', 250)
local cursor, fields = page[1], page[2]
for i = 1, #fields, 2 do
  local reader = fields[i]
  if reader ~= 'mode' and string.sub(reader, -6) ~= ':write' then
    local left = rw_left(readers, reader, fields[i + 1], now, ARGV[4])
    if left > 0 and left > longest then
      longest = left
    end
    if longest >= enough then
      cursor = '0'
      break
    end
  end
end
return cursor .. ' ' .. string.format('%.0f', longest)
