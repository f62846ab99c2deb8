-- Tells the head of a fair lock's queue that the lock is free, on the channel that it alone listens
-- to; `channel` is what all these channels begin with. Returns who was told, if it is one of ours.
-- include lib/now_ms
-- include lib/queue_head
local function tell_head(queue, timeouts, beats, publish, channel)
  if redis.call('EXISTS', queue) == 0 then
    return
  end
  local head = queue_head(queue, timeouts, beats, now_ms())
  if head then
    redis.call(publish, channel .. ':' .. head, '0')
    return redis.call('ZSCORE', beats, string.sub(head, 1, 36)) and head
  end
end
