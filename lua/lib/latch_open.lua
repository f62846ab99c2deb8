-- Opens a latch: removes it, and marks its end. Returns an error when the server refuses that;
-- nothing is changed then.
-- The mark shows a waiter that finds the latch set again that its own latch is over. A waiter reads
-- it every few seconds, so 10 minutes are plenty.
-- include lib/next_mark
local function latch_open(latch, opened)
  local before = redis.call('GET', opened)
  local mark = next_mark(before)
  redis.call('SET', opened, mark, 'PX', OPENED_TTL_MS)
  local removed = redis.pcall('DEL', latch)
  if type(removed) == 'table' then
    -- An empty mark means that there is none. The latch may live longer than its mark: a mark that
    -- is gone proves nothing.
    redis.call('SET', opened, before or '', 'PX', OPENED_TTL_MS)
    return removed
  end
  return nil
end
