-- lock/recheck: say of the tickets of one client what has become of them; their heartbeat.
--
-- A ticket that was granted gets the full lease. A lock that is found free goes to the first in its
-- line. No ticket is made: a holder id could otherwise be granted twice.
--
-- KEYS[*] of_tickets   any      for each ticket the lock, its line, its tickets, and the token of a
--                               fenced lock
-- ARGV[*] terms        string   for each ticket its holder id, its lease in ms (0 leaves the lease of a
--                               grant as it is), its window in ms, 1 if its client listens to the
--                               channel of the lock, and 1 if the lock is fenced
-- returns string     for each ticket, after a comma: "+", the ms left on its lease, whether others wait
--                    (0 or 1), and the token or 0; "?" there is no such ticket; else as lock/enter

-- include lib/now_ms
-- include lib/line_first
-- include lib/line_grant
-- include lib/line_put
-- include lib/line_stands_back
-- include lib/notify_granted
-- include lib/own_listeners
-- include lib/token_issue
local now, answers, told, at = now_ms(), {}, {}, 1
for i = 1, #ARGV, 5 do
  local lock, line, tickets = KEYS[at], KEYS[at + 1], KEYS[at + 2]
  local holder, lease_ms, window_ms = ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 2]
  local token = ARGV[i + 4] == '1' and KEYS[at + 3]
  at = at + (token and 4 or 3)
  local answer
  -- pcall: a key that was overwritten with another type must not keep the others from their answer.
  local held = redis.pcall('HEXISTS', lock, holder)
  if type(held) == 'table' and not string.find(held.err, 'WRONGTYPE', 1, true) then
    return held
  elseif type(held) == 'table' then
    answer = '?'
  elseif held == 0 and redis.call('HEXISTS', tickets, holder) == 0 then
    answer = '?'
  else
    local is_ours, is_seen, is_lost, left_ms = 1, 0, false, redis.call('PTTL', lock)
    if held == 0 then
      is_seen = line_put(line, tickets, holder, now, window_ms, ARGV[i + 3])
      if type(is_seen) == 'table' then
        return is_seen
      end
      if left_ms == -2 then
        left_ms = line_stands_back(tickets, now)
        local first, first_window_ms = nil, nil
        if left_ms == 0 then
          first, first_window_ms = line_first(line, tickets, now)
        end
        if left_ms == 0 and not first then
          is_lost = true
        elseif first then
          left_ms = tonumber(first_window_ms)
          local channel, message =
            line_grant(lock, line, tickets, token, now, first, first_window_ms)
          if type(channel) == 'table' then
            return channel
          end
          held = message and first == holder and 1 or 0
          is_lost = not message
          if message and held == 0 then
            told[#told + 1], told[#told + 2] = channel, message
          end
        end
      else
        is_ours = own_listeners(redis.call('HRANDFIELD', lock)) > 0 and 1 or 0
      end
    end
    if is_lost then
      -- It does not stand in the line.
      redis.call('HDEL', tickets, holder)
      answer = '?'
    elseif held == 1 then
      if lease_ms > left_ms then
        redis.call('PEXPIRE', lock, lease_ms)
        left_ms = lease_ms
      end
      local others = redis.call('LLEN', line) > 0 and '1' or '0'
      local issued = token and (redis.call('GET', token) or token_issue(token)) or '0'
      if type(issued) == 'table' then
        return issued
      end
      answer = string.format('+ %.0f %s %s', left_ms, others, issued)
    else
      answer = string.format('%.0f %.0f %.0f %s', left_ms, now, is_ours, is_seen)
    end
  end
  answers[#answers + 1] = answer
end
return notify_granted(table.concat(answers, ','), told)
