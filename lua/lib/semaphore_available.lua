-- The permits that a counting semaphore has left, and whether any were set: 0 when not, nil when the
-- key holds something else. They may be negative after a shrink.
local function semaphore_available(semaphore)
  local value = redis.call('GET', semaphore)
  if not value then
    return 0, false
  end
  return string.find(value, '^%-?%d+$') and tonumber(value) or nil, true
end
