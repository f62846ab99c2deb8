-- rwlock/inspect: who holds a read-write lock, and how long each lease still runs, page by page.
--
-- KEYS[1] lock       hash     mode, and holder -> number of holds; its TTL is the longest lease
-- KEYS[2] readers    zset     private: our readers -> end of their lease; its TTL is the lock's
-- ARGV[1] cursor     string   0, or what the page before this one ended with
-- ARGV[2] stem       string   what the names of hold keys begin with
-- returns string     JSON: [cursor of the next page or 0, holder, holds, ms left, holder, ...]; a
--                    writer's ends in ":write", -1 ms: no limit

-- include lib/now_ms
-- include lib/rw_left
-- include lib/rw_mode
local lock, readers, now = KEYS[1], KEYS[2], now_ms()
local mode = rw_mode(lock)
if type(mode) == 'table' then
  return mode
end
local page = redis.call('HSCAN', lock, ARGV[1], 'COUNT', 250)
local fields, answer = page[2], { page[1] }
for i = 1, #fields, 2 do
  local holder, holds = fields[i], fields[i + 1]
  local left = 0
  if string.sub(holder, -6) == ':write' then
    left = redis.call('PTTL', lock)
  elseif holder ~= 'mode' then
    left = math.max(0, rw_left(readers, holder, holds, now, ARGV[2]))
  end
  if left ~= 0 then
    for _, part in ipairs({ holder, holds, string.format('%.0f', left) }) do
      answer[#answer + 1] = part
    end
  end
end
return cjson.encode(answer)
