-- Sets a string that lives for `ttl_ms`, 0 for no limit. One command does it, so the string never
-- lacks its TTL.
local function set_for(key, value, ttl_ms)
  if tonumber(ttl_ms) > 0 then
    redis.call('SET', key, value, 'PX', ttl_ms)
  else
    redis.call('SET', key, value)
  end
end
