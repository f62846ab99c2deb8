-- Returns the first ticket in the line of a lock whose client can take the lock, and the window that
-- it wants; nil when there is none. A ticket that was not heard of for ABSENT_MS is dropped. One whose
-- client is away just now is passed over and keeps its place: the client may be connecting anew. A
-- client that was not listening when it last asked (`is_seen` 0) can take the lock while it asks often
-- enough to find it soon.
-- include lib/heard_tickets
-- include lib/line_leave
-- include lib/own_listeners
local function line_first(lock, line, tickets, now, publish)
  local at = 0
  while true do
    local id = redis.call('LINDEX', line, at)
    if not id then
      return nil
    end
    local ticket = redis.call('HGET', tickets, id) or ''
    local heard, window_ms, is_seen = string.match(ticket, '^(%d+) (%d+) (%d)')
    if heard and tonumber(heard) > now then
      heard_tickets(tickets, now)
      heard = now
    end
    local silent_ms = heard and now - tonumber(heard)
    if not heard then
      redis.call('LREM', line, 1, id)
    elseif silent_ms > ABSENT_MS then
      line_leave(line, tickets, id)
    elseif
      is_seen == '1' and own_listeners(id, lock, publish) > 0
      or is_seen == '0' and silent_ms <= UNSEEN_MS
    then
      return id, window_ms
    else
      at = at + 1
    end
  end
end
