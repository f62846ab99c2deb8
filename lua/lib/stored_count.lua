-- Returns the count that a semaphore or a latch has in `key`: nil when there is none, and an error
-- as well when the key holds something else. The count of a semaphore may be negative after a
-- shrink.
-- include lib/foreign
local function stored_count(key)
  local value = redis.call('GET', key)
  if not value then
    return nil
  end
  if not string.find(value, '^%-?%d+$') then
    return nil, foreign(key, 'a string that is no integer')
  end
  return tonumber(value)
end
