-- Who stands first in a fair lock's queue and is alive, and the ms after which it counts as absent
-- unless it is heard of again; nil when nobody stands there.
-- Whoever is absent at the head loses its place. A client of ours is absent 4 s after its last sign
-- of life, whatever its score; anybody else when its score has passed, or is missing: Java never
-- evicts such an entry. At most 100 go per call; 0 ms says that there may be more of them. The beats
-- go with the last entry.
local function queue_head(queue, timeouts, beats, now)
  for dropped = 0, 100 do
    local head = redis.call('LINDEX', queue, 0)
    if not head then
      redis.call('DEL', beats)
      return nil
    end
    local heard = redis.call('ZSCORE', beats, string.sub(head, 1, 36))
    local ends = heard and heard + 4000 or redis.call('ZSCORE', timeouts, head) or 0
    if ends - now > 0 then
      return head, ends - now
    end
    if dropped == 100 then
      return head, 0
    end
    redis.call('LPOP', queue)
    redis.call('ZREM', timeouts, head)
  end
end
