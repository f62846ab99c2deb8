-- expirable-semaphore/holders: the permits that are taken, the first 100 to expire.
--
-- KEYS[1] timeouts   zset     permit (16 bytes) -> ms at which it expires; has the semaphore's TTL
-- returns string     for each permit its id in hex and the ms left, -1 when it never expires

-- include lib/now_ms
local now = now_ms()
local entries =
  redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', 0, 100)
local texts = {}
for i = 1, #entries, 2 do
  local id = string.gsub(entries[i], '.', function(byte)
    return string.format('%02x', string.byte(byte))
  end)
  local expiry = tonumber(entries[i + 1])
  local left = expiry < NEVER_EXPIRES and expiry - now or -1
  texts[#texts + 1] = id .. ' ' .. string.format('%.0f', left)
end
return table.concat(texts, ' ')
