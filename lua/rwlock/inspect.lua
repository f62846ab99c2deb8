-- rwlock/inspect: who holds a read-write lock, and how long each lease still runs.
--
-- KEYS[1] lock       hash     mode, and holder -> number of holds; its TTL is the longest lease
-- KEYS[2] readers    zset     private: our readers -> end of their lease; its TTL is the lock's
-- ARGV[1] stem       string   what the names of hold keys begin with
-- returns string     JSON: [holder, holds, ms left, holder, ...]; a writer's ends in ":write",
--                    -1 ms: no limit

-- include lib/now_ms
-- include lib/rw_mode
local lock, now = KEYS[1], now_ms()
local mode = rw_mode(lock)
if type(mode) == 'table' then
  return mode
end
local ends = {}
local ours = redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')
for i = 1, #ours, 2 do
  ends[ours[i]] = tonumber(ours[i + 1])
end
local fields, holders = redis.call('HGETALL', lock), {}
for i = 1, #fields, 2 do
  local holder, holds = fields[i], fields[i + 1]
  local left = 0
  if string.sub(holder, -6) == ':write' then
    left = redis.call('PTTL', lock)
  elseif ends[holder] then
    left = math.max(0, ends[holder] - now)
  elseif holder ~= 'mode' then
    for hold = 1, math.min(tonumber(holds) or 0, 100) do
      left = math.max(left, redis.call('PTTL', ARGV[1] .. holder .. ':rwlock_timeout:' .. hold))
    end
  end
  if left ~= 0 then
    for _, part in ipairs({ holder, holds, string.format('%.0f', left) }) do
      holders[#holders + 1] = part
    end
  end
end
-- An empty table would become an object.
return #holders == 0 and '[]' or cjson.encode(holders)
