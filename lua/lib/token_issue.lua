-- Issues the next `count` fencing tokens of a lock and returns the last one, or an error. The first is
-- the larger of counter + 1 and the server's time in microseconds: they grow even after the counter was
-- lost (FLUSHALL, an empty restart), since issuing a block and losing it takes longer than one
-- microsecond for each token of it.
local function token_issue(token, count)
  local counter = redis.pcall('GET', token)
  if type(counter) == 'table' then
    return counter
  end
  local time = redis.call('TIME')
  local micros = time[1] * 1000000 + time[2]
  local number = not counter and 0 or string.find(counter, '^-?%d+$') and tonumber(counter)
  if number and number + 1 < micros then
    local issued = string.format('%.0f', micros + count - 1)
    local set = redis.pcall('SET', token, issued)
    return set.err and set or issued
  end
  -- An error where it is no number: nothing is held then.
  local counted = redis.pcall('INCRBY', token, count)
  if type(counted) == 'table' then
    return counted
  end
  -- Read back as text: a Lua number is exact only to 2^53, and Java may have issued larger ones.
  return redis.call('GET', token)
end
