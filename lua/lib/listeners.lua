-- Asks how many connections listen to each of some channels: each channel, followed by its number, or an
-- error for a user who may not ask.
local function listeners(publish, ...)
  return redis.pcall('PUBSUB', publish == 'SPUBLISH' and 'SHARDNUMSUB' or 'NUMSUB', ...)
end
