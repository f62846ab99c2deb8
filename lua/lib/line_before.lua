-- Returns the window of the ticket right before one in the line of a lock; nil where it is the first.
local function line_before(line, tickets, id)
  local at = -1
  if redis.call('LINDEX', line, -1) ~= id then
    at = redis.call('LPOS', line, id)
  end
  -- Before the last entry stands the one at -2.
  local before = at and at ~= 0 and redis.call('LINDEX', line, at - 1)
  local ticket = before and redis.call('HGET', tickets, before)
  return ticket and string.match(ticket, '^%d+ (%d+)')
end
