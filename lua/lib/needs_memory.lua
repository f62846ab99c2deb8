-- Asks the server for memory, and changes nothing: Redis looks whether it has any only before the
-- first command of a script that writes. A script that gives something to somebody calls this first,
-- since what it does first of all may need none. `key` is a zset, or is not there.
local function needs_memory(key)
  redis.call('ZADD', key, 'XX', 0, '')
end
