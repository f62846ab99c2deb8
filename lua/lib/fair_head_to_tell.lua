-- Returns the first entry of a fair lock's queue, which is to be told that the lock is free on the
-- channel that it alone listens to, and whether it is one of ours; nil when the queue is empty.
-- Absent entries are dropped here, before the lock is freed, since a user may lack the right to.
-- include lib/now_ms
-- include lib/fair_queue_head
local function fair_head_to_tell(queue, timeouts, beats)
  if redis.call('EXISTS', queue) == 0 then
    return nil
  end
  local head = fair_queue_head(queue, timeouts, beats, now_ms())
  return head, head and redis.call('ZSCORE', beats, string.sub(head, 1, CLIENT_ID_LENGTH)) ~= false
end
