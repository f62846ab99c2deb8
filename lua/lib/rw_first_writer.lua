-- Returns the first writer in the wait queue that can take the lock, its rank, the ms after which it
-- counts as absent without another heartbeat, and the window that its ticket asks for; nil when there is
-- none.
--
--   writer                                                        what becomes of it
--   4 s after its last heartbeat                                  removed
--   with a ticket, its client listens to its own channel          can take the lock
--   with a ticket, its client did not listen when it was last     can take it: it asks often enough to
--   heard of, within the last second                              find the grant
--   with a ticket, any other                                      passed over, and keeps its place
--   without a ticket: of a client of 0.1                          can take it, unless it is to be given
--                                                                 to a ticket
--
-- One call removes at most 31; the next one then counts as alive for a moment longer.
-- include lib/heard_at
-- include lib/own_listeners
-- include lib/rw_leave_line
local function rw_first_writer(keys, now, has_ticket)
  local at, removed = 0, 0
  while true do
    local entry = redis.call('ZRANGE', keys.writers, at, at, 'WITHSCORES')
    local id = entry[1]
    if not id then
      return nil
    end
    local heard = heard_at(keys.heartbeats, id, now)
    local left_ms = heard and heard + ABSENT_MS - now or 0
    local ticket = redis.call('HGET', keys.tickets, id)
    local window_ms, is_seen = string.match(ticket or '', '^%d+ (%d+) (%d)')
    if left_ms <= 0 and removed == 31 then
      if has_ticket then
        return nil
      end
      return id, tonumber(entry[2]), 0, nil
    elseif left_ms <= 0 then
      rw_leave_line(keys, id)
      removed = removed + 1
    elseif not window_ms and not has_ticket then
      return id, tonumber(entry[2]), left_ms, nil
    else
      local can_take = is_seen == '0' and ABSENT_MS - left_ms <= UNSEEN_MS
      if is_seen == '1' then
        local listeners, is_refused = own_listeners(id, keys.lock, keys.publish)
        -- A reader who may not ask waits for those who may be there.
        can_take = listeners > 0 or is_refused and not has_ticket
      end
      if can_take then
        return id, tonumber(entry[2]), left_ms, window_ms
      end
      at = at + 1
    end
  end
end
