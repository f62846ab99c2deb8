-- The count of a latch: 0 when there is none, nil when the key holds something else.
local function latch_count(latch)
  local value = redis.call('GET', latch)
  if not value then
    return 0
  end
  local count = tonumber(value)
  if count and string.find(value, '^%-?%d+$') then
    return math.max(count, 0)
  end
  return nil
end
