-- Returns the first entry of a fair lock's queue that can take the lock, the window that its ticket
-- asks for (nil without a ticket: it is notified that the lock is free), and the ms after which it counts
-- as absent, and its index. Returns nil when there is none; nil, nil and the ms after which to look again
-- when there are too many absent ones before it for one call.
--
--   entry                                                        what becomes of it
--   of ours, 4 s after the last heartbeat of its client          removed
--   of Java, when its score has passed or is missing             removed; Java never evicts one
--                                                                without a score
--   with a ticket, its client listens to its own channel         can take the lock
--   with a ticket, its client did not listen when it was last    can take it: it asks often enough to
--   heard of, within the last second                             find the grant
--   with a ticket, any other                                     passed over, and keeps its place, as
--                                                                all others of its client, of whose
--                                                                entries only the first one asks
--   without a ticket: of Java                                    can take it when it is the head: those
--                                                                passed over leave, and return to the
--                                                                front with their next ask
-- include lib/fair_settle_queue
-- include lib/heard_at
-- include lib/own_listeners
local function fair_first(lock, queue, timeouts, heartbeats, tickets, now, publish)
  local can_take, at, removed, id, window_ms, left = {}, 0, 0, nil, nil, 0
  local function remove(entry)
    if removed == 0 then
      -- These change nothing, but show that the removals are allowed.
      redis.call('ZREM', timeouts, '')
      redis.call('HDEL', tickets, '')
    end
    redis.call('LREM', queue, 1, entry)
    redis.call('ZREM', timeouts, entry)
    redis.call('HDEL', tickets, entry, 'told')
    removed = removed + 1
  end
  while true do
    id = redis.call('LINDEX', queue, at)
    if not id or at == PASSED_OVER_MAX or removed > 100 then
      left, id = id and (removed > 100 and 0 or PASSED_OVER_MS) or nil, nil
      break
    end
    local client = string.sub(id, 1, CLIENT_ID_LENGTH)
    local heartbeat = heard_at(heartbeats, client, now)
    local absent_at = heartbeat and heartbeat + ABSENT_MS or redis.call('ZSCORE', timeouts, id) or 0
    left = math.max(absent_at - now, 0)
    local ticket = heartbeat and redis.call('HGET', tickets, id)
    if left == 0 then
      remove(id)
    elseif not ticket then
      for _ = 1, at do
        remove(redis.call('LINDEX', queue, 0))
      end
      break
    else
      local wanted_ms, is_seen = string.match(ticket, '^(%d+) (%d)$')
      if can_take[client] == nil then
        can_take[client] = own_listeners(id, lock, publish) > 0
          or is_seen == '0' and now - heartbeat <= UNSEEN_MS
      end
      if can_take[client] then
        window_ms = wanted_ms
        break
      end
      at = at + 1
    end
  end
  if removed > 0 then
    fair_settle_queue(queue, timeouts, heartbeats)
  end
  return id, window_ms, left, at
end
