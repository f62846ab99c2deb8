-- Opens a latch: removes it, and marks that a zero was reached. Returns an error when the server
-- refuses that; nothing is changed then.
-- The mark lets a waiter that comes late to a latch set again know that it saw its zero; a wait
-- looks at it every few seconds, so 10 minutes are plenty.
local function latch_open(latch, opened)
  local time = redis.call('TIME')
  local mark = time[1] .. '.' .. time[2]
  local before = redis.call('SET', opened, mark, 'PX', OPENED_TTL_MS, 'GET')
  local removed = redis.pcall('DEL', latch)
  if type(removed) == 'table' then
    -- An empty mark stands for none.
    redis.call('SET', opened, before or '', 'PX', OPENED_TTL_MS)
    return removed
  end
  return nil
end
