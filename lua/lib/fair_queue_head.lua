-- Returns the first live entry of a fair lock's queue, and the ms after which it counts as absent
-- unless it is heard of again; nil when the queue is empty.
-- An absent entry at the head loses its place. A client of ours is absent 4 s after its last sign
-- of life, whatever its score; anybody else when its score has passed, or is missing: Java never
-- evicts such an entry. At most 100 go per call; 0 ms says that there may be more of them.
-- include lib/fair_settle_queue
local function fair_queue_head(queue, timeouts, beats, now)
  local head, left
  for dropped = 0, 100 do
    head = redis.call('LINDEX', queue, 0)
    local heard = head and redis.call('ZSCORE', beats, string.sub(head, 1, CLIENT_ID_LENGTH))
    local ends = heard and heard + ABSENT_MS or head and redis.call('ZSCORE', timeouts, head) or 0
    left = math.max(ends - now, 0)
    if not head or left > 0 or dropped == 100 then
      if dropped > 0 then
        fair_settle_queue(queue, timeouts, beats)
      end
      return head or nil, left
    end
    redis.call('LPOP', queue)
    redis.call('ZREM', timeouts, head)
  end
end
