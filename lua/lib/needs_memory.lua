-- Has the server check its memory, and changes nothing: Redis checks it only before the first
-- command of a script that writes. A script that grants something calls this first, since its first
-- write may be one that needs no memory. `key` is a zset, or does not exist.
local function needs_memory(key)
  redis.call('ZADD', key, 'XX', 0, '')
end
