-- Returns the first entry of a fair lock's queue and whether it is one of ours; nil when the queue
-- is empty. The caller notifies that entry, on a channel of its own, that the lock is free. Absent
-- entries are dropped here, before the lock is freed, since a user may lack the right to.
-- include lib/now_ms
-- include lib/fair_queue_head
local function fair_head_to_notify(queue, timeouts, heartbeats)
  if redis.call('EXISTS', queue) == 0 then
    return nil
  end
  local head = fair_queue_head(queue, timeouts, heartbeats, now_ms())
  return head,
    head and redis.call('ZSCORE', heartbeats, string.sub(head, 1, CLIENT_ID_LENGTH)) ~= false
end
