-- Opens a latch: removes it, and marks that it reached zero. Returns an error when the server
-- refuses that; nothing is changed then.
-- The mark shows a waiter that finds the latch set again that its own latch has reached zero. A
-- waiter reads it every few seconds, so 10 minutes are plenty.
local function latch_open(latch, opened)
  local time = redis.call('TIME')
  local mark = time[1] .. '.' .. time[2]
  local before = redis.call('SET', opened, mark, 'PX', OPENED_TTL_MS, 'GET')
  local removed = redis.pcall('DEL', latch)
  if type(removed) == 'table' then
    -- An empty mark means that there is none.
    redis.call('SET', opened, before or '', 'PX', OPENED_TTL_MS)
    return removed
  end
  return nil
end
