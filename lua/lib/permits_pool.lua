-- What a permit-expirable semaphore has left, without its expired permits; nil when there is none,
-- and an error as well when the key holds something else.
local function permits_pool(semaphore)
  local value = redis.call('GET', semaphore)
  if not value then
    return nil
  end
  if not string.find(value, '^%-?%d+$') then
    return nil, redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
  end
  return tonumber(value)
end
