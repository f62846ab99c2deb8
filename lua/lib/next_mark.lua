-- Returns a mark for an object that is made or ends now, above the `last` one of its name, if there was one: it
-- is the server's time in microseconds, or 1 more than the last mark where the clock is not past that.
local function next_mark(last)
  local time = redis.call('TIME')
  local above = (tonumber(last or 0) or 0) + 1
  return string.format('%.0f', math.max(time[1] * 1000000 + time[2], above))
end
