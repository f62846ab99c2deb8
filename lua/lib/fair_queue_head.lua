-- Returns the first live entry of a fair lock's queue, and the ms after which it counts as absent
-- without another heartbeat; nil when the queue is empty.
-- An absent entry at the head is removed. A client of ours is absent 4 s after its last heartbeat,
-- whatever its score is. A waiter of Java is absent when its score has passed or is missing; Java
-- never evicts an entry without one. One call removes at most 100; 0 ms says that more may be
-- absent.
-- include lib/fair_settle_queue
local function fair_queue_head(queue, timeouts, heartbeats, now)
  local head, left
  for dropped = 0, 100 do
    head = redis.call('LINDEX', queue, 0)
    local heartbeat = head
      and redis.call('ZSCORE', heartbeats, string.sub(head, 1, CLIENT_ID_LENGTH))
    local absent_at = heartbeat and heartbeat + ABSENT_MS
      or head and redis.call('ZSCORE', timeouts, head)
      or 0
    left = math.max(absent_at - now, 0)
    if not head or left > 0 or dropped == 100 then
      if dropped > 0 then
        fair_settle_queue(queue, timeouts, heartbeats)
      end
      return head or nil, left
    end
    redis.call('LPOP', queue)
    redis.call('ZREM', timeouts, head)
  end
end
