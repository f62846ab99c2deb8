-- Marks a counting semaphore that is about to be made, and returns the mark, which no earlier
-- semaphore of the name has had. It lives as long as the semaphore: `ttl_ms`, or 30 days where that
-- is 0, no limit. Java deletes no mark, so it must end by itself, and permits of an earlier
-- semaphore are back by then.
local function semaphore_new_generation(marks, ttl_ms)
  local time = redis.call('TIME')
  local last = tonumber(redis.call('GET', marks) or 0)
  local mark = string.format('%.0f', math.max(time[1] * 1000000 + time[2], last + 1))
  redis.call('SET', marks, mark, 'PX', ttl_ms > 0 and ttl_ms or GENERATION_TTL_MS)
  return mark
end
