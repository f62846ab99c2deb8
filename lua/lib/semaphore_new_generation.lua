-- Marks a counting semaphore that is about to be made, and returns the mark, which no earlier
-- semaphore of the name has had. Keeps its total beside it, and how many permits are left at first.
-- Both live as long as the semaphore: `ttl_ms`, or 30 days where that is 0, no limit. Java deletes
-- no mark, so it must end by itself, and permits of an earlier semaphore are back by then.
-- include lib/zadd_for
local function semaphore_new_generation(marks, totals, ttl_ms, total, left)
  local time = redis.call('TIME')
  local last = tonumber(redis.call('GET', marks) or 0)
  local mark = string.format('%.0f', math.max(time[1] * 1000000 + time[2], last + 1))
  local life_ms = ttl_ms > 0 and ttl_ms or GENERATION_TTL_MS
  redis.call('SET', marks, mark, 'PX', life_ms)
  total, left = string.format('%.0f', total), string.format('%.0f', left)
  zadd_for(totals, life_ms, mark, 'mark', total, 'total', left, 'left')
  return mark
end
