-- Lets the writes that follow through at maxmemory, and changes nothing: Redis checks its memory only
-- before the first command of a script that writes, and this one needs none. A script that renews,
-- releases or gives back calls it before a write that does. `key` is a hash, or does not exist; where it
-- holds something else, the writes go through all the same.
local function needs_no_memory(key)
  redis.pcall('HDEL', key, '')
end
