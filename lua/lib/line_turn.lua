-- Whether a release has to free the lock openly, for those who stand in no line (Java, older clients):
-- once for each round of the line while more connections listen to the lock than the tickets say, and
-- than the `own` ones that are known besides; and, where a line stands, once a second of hand-offs, since
-- not everybody listens. `length` is that of the line. For STAND_BACK_MS after that nobody in it is served.
--
-- The field `turn` of `tickets` has when that was last, when the last hand-off was, to a quarter of a
-- second, and how many there were since, while others listen. A second begins with the first hand-off
-- after a quiet one.
-- include lib/heard_tickets
-- include lib/listeners
-- include lib/now_ms
-- include lib/tickets_checked
local function line_turn(tickets, length, own, publish, channel, now)
  local has_line = length > 0
  local strangers = (listeners(publish, channel)[2] or 0) - own
  if not has_line and strangers <= 0 then
    return false
  end
  now = now or now_ms()
  local turn = redis.call('HGET', tickets, 'turn')
  if not turn then
    tickets_checked(tickets)
    turn = string.format('%.0f 0 0', now)
  end
  local opened, last, grants = string.match(turn, '(%d+) (%d+) (%d+)')
  opened, last, grants = tonumber(opened), tonumber(last), tonumber(grants)
  local is_round_over = strangers > 0 and grants >= length
  if is_round_over then
    local fields = heard_tickets(tickets, now)
    for i = 1, #fields, 2 do
      local heard = string.match(fields[i + 1], '^(%d+) %d+ %d 1$')
      -- The id of a client, which has no colon: its readers have waited.
      local is_left = heard and not string.find(fields[i], ':', 1, true)
      if is_left and now - tonumber(heard) > LISTENS_ON_MS then
        redis.call('HDEL', tickets, fields[i])
      elseif heard then
        strangers = strangers - 1
      end
    end
  end
  if math.abs(now - last) > OPEN_PERIOD_MS or opened > now then
    opened = now
  end
  local is_due = is_round_over and strangers > 0 or has_line and now - opened >= OPEN_PERIOD_MS
  -- Those who are away just now may have tickets.
  local is_short = not has_line and redis.call('PTTL', tickets) < TURN_TTL_MS
  if is_short then
    -- First, so that a user who may not set a TTL leaves nothing without one.
    redis.call('PEXPIRE', tickets, TURN_TTL_MS)
  end
  if is_due then
    opened, grants = now, -1
    redis.pcall('HSET', tickets, 'back', string.format('%.0f', now + STAND_BACK_MS))
  end
  if strangers <= 0 and math.abs(now - last) < OPEN_PERIOD_MS / 4 and not is_due then
    -- Precise enough.
    return false
  end
  -- pcall: a release goes on when the server takes no more data.
  redis.pcall('HSET', tickets, 'turn', string.format('%.0f %.0f %.0f', opened, now, grants + 1))
  if is_short then
    redis.call('PEXPIRE', tickets, TURN_TTL_MS)
  end
  return is_due
end
