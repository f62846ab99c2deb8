-- Issues the next fencing token of a lock and returns it, or an error. It is the larger of counter + 1
-- and the server's time in microseconds: it grows even after the counter was lost (FLUSHALL, an empty
-- restart).
local function token_issue(token)
  local counter = redis.pcall('GET', token)
  if type(counter) == 'table' then
    return counter
  end
  local time = redis.call('TIME')
  local micros = time[1] * 1000000 + time[2]
  local number = not counter and 0 or string.find(counter, '^-?%d+$') and tonumber(counter)
  if number and number + 1 < micros then
    local issued = string.format('%.0f', micros)
    local set = redis.pcall('SET', token, issued)
    return set.err and set or issued
  end
  -- An error where it is no number: nothing is held then.
  local counted = redis.pcall('INCR', token)
  if type(counted) == 'table' then
    return counted
  end
  -- Read back as text: a Lua number is exact only to 2^53, and Java may have issued larger ones.
  return redis.call('GET', token)
end
