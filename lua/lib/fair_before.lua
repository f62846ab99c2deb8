-- Returns whoever has a fair lock just before the entry at the index `at` of its queue: the entry before
-- it, or else the holder; nil where several holders were written into the lock.
-- include lib/sole_holder
local function fair_before(lock, queue, at)
  if at ~= 0 then
    local before = redis.call('LINDEX', queue, at - 1)
    if before then
      return before
    end
  end
  return sole_holder(lock)
end
