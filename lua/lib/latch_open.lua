-- Opens a latch: removes it, marks that a zero was reached, and tells its waiters.
-- The mark lets a waiter that comes late to a latch set again know that it saw its zero; a wait
-- looks at it every few seconds, so 10 minutes are plenty.
local function latch_open(latch, opened, publish, channel)
  local time = redis.call('TIME')
  redis.call('DEL', latch)
  redis.call('SET', opened, time[1] .. '.' .. time[2], 'PX', 600000)
  -- `0` only in the step that makes the key absent: at a positive count it makes Java spin.
  redis.call(publish, channel, '0')
end
