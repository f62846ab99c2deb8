-- Returns the fields and values of the tickets of a lock. What is later than `now` there, when each ticket was
-- heard of, is written as now: the clock was set back since, and nobody writes the ticket of a dead client
-- again.
-- include lib/needs_no_memory
local function heard_tickets(tickets, now)
  local fields = redis.call('HGETALL', tickets)
  for i = 1, #fields, 2 do
    local heard, terms = string.match(fields[i + 1], '^(%d+)( %d+ %d %d)$')
    if heard and tonumber(heard) > now then
      fields[i + 1] = string.format('%.0f', now) .. terms
      needs_no_memory(tickets)
      redis.call('HSET', tickets, fields[i], fields[i + 1])
    end
  end
  return fields
end
