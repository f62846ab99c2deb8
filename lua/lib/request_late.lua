-- Returns the answer to a request that is run after `until_ms`, and records that it never ran: its caller waits
-- no more. Returns nil for one that is in time, or that may run at any time.
-- include lib/request_keep_record
-- include lib/request_record
local function request_late(requests, number, low_water, until_ms)
  if until_ms == '0' then
    return nil
  end
  -- pcall: a user who lacks the right to TIME has no such limit.
  local time = redis.pcall('TIME')
  local now = not time.err and time[1] * 1000 + math.floor(time[2] / 1000)
  if not now or now <= tonumber(until_ms) then
    return nil
  end
  request_keep_record(requests, low_water)
  return string.format('%s %.0f', request_record(requests, number, 'past'), now)
end
