-- lock/recheck: say of the tickets of one client what has become of them; their heartbeat.
--
-- A ticket that was granted gets the full lease. If the lock is fenced, it gets new tokens. A lock that is
-- found free goes to the first in its line. No ticket is made: a holder id could otherwise be granted twice.
-- The holder of a lock is told once that another client waits.
--
-- KEYS[*] of_tickets   any      for each ticket the lock, its line, its tickets, and the token of a
--                               fenced lock
-- ARGV[1] publish      string   PUBLISH or SPUBLISH
-- ARGV[*] terms        string   for each ticket its holder id, its lease in ms (0 leaves the lease of a
--                               grant as it is), its window in ms, 1 if its client listens to the
--                               channel of the lock, and 1 if the lock is fenced
-- returns string     for each ticket, after a comma: "=", the ms left on its lease, and the last of its
--                    tokens or 0; "?" there is no such ticket; else as lock/enter

-- at maxmemory: carried out
-- include lib/ahead_ms
-- include lib/line_before
-- include lib/now_ms
-- include lib/is_holder
-- include lib/line_first
-- include lib/line_grant
-- include lib/line_put
-- include lib/line_stands_back
-- include lib/needs_no_memory
-- include lib/notify_granted
-- include lib/own_channel
-- include lib/own_listening
-- include lib/tells_holder
-- include lib/token_issue
local now, publish, told = now_ms(), ARGV[1], {}

-- Gives a free lock to the first in its line. Returns how many ms it is taken, and 1 if that is for
-- `holder`; nil when nobody can take it, or an error.
local function serve(lock, line, tickets, token, holder)
  local left_ms = line_stands_back(tickets, now)
  if left_ms > 0 then
    return left_ms, 0
  end
  local first, window_ms = line_first(lock, line, tickets, now, publish)
  if not first then
    return nil
  end
  local channel, message = line_grant(lock, line, tickets, token, now, first, window_ms, publish)
  if not message then
    return channel
  end
  if first == holder then
    return tonumber(window_ms), 1
  end
  told[#told + 1], told[#told + 2] = channel, message
  return tonumber(window_ms), 0
end

-- The answer about one ticket, or an error.
local function judge(lock, line, tickets, token, holder, lease_ms, window_ms, is_listening)
  -- pcall: a key that was overwritten with another type must not keep the others from their answer.
  local held = redis.pcall('HEXISTS', lock, holder)
  if type(held) == 'table' then
    return string.find(held.err, 'WRONGTYPE', 1, true) and '?' or held
  end
  local left_ms = redis.call('PTTL', lock)
  local is_new = held == 0
  if held == 0 then
    if redis.call('HEXISTS', tickets, holder) == 0 then
      return '?'
    end
    local owner = left_ms ~= -2 and redis.call('HRANDFIELD', lock)
    if owner and (not is_holder(owner) or redis.call('HEXISTS', lock, 'mode') == 1) then
      -- Something else was written over the lock: its next ask gets the error.
      return '?'
    end
    local is_seen, is_ours = own_listening(holder, owner, lock, publish)
    is_seen = line_put(line, tickets, holder, now, window_ms, is_seen, is_listening)
    if type(is_seen) == 'table' then
      return is_seen
    end
    if not owner then
      is_ours = 1
      left_ms, held = serve(lock, line, tickets, token, holder)
    elseif is_ours == 1 and tells_holder(lock, tickets, owner, holder, publish) then
      told[#told + 1], told[#told + 2] =
        own_channel(owner, lock, publish), 'w' .. owner .. ' ' .. lock
    end
    if type(left_ms) == 'table' then
      return left_ms
    elseif not left_ms then
      -- It does not stand in the line, or there can be no token.
      redis.call('HDEL', tickets, holder)
      return '?'
    elseif held == 0 then
      left_ms = ahead_ms(left_ms, line_before(line, tickets, holder))
      return string.format('%.0f %.0f %.0f %s', left_ms, now, is_ours, is_seen)
    end
  end
  local issued = '0'
  if token and is_new then
    issued = redis.call('GET', token)
  elseif token then
    -- The client may not know of the grant. A failover may have lost later grants with larger tokens, so the counter
    -- may be too small.
    needs_no_memory(lock)
    issued = token_issue(token, TOKEN_BLOCK)
  end
  if type(issued) == 'table' then
    -- A counter that no token can be issued from concerns this ticket alone.
    return string.find(issued.err, 'WRONGTYPE', 1, true) and '?'
      or string.find(issued.err, 'integer', 1, true) and '?'
      or string.find(issued.err, 'overflow', 1, true) and '?'
      or issued
  end
  if lease_ms > left_ms then
    redis.call('PEXPIRE', lock, lease_ms)
    left_ms = lease_ms
  end
  return string.format('= %.0f %s', left_ms, issued)
end

local answers, at = {}, 1
for i = 2, #ARGV, 5 do
  local token = ARGV[i + 4] == '1' and KEYS[at + 3]
  local holder, lease_ms = ARGV[i], tonumber(ARGV[i + 1])
  local lock, line, tickets = KEYS[at], KEYS[at + 1], KEYS[at + 2]
  local answer = judge(lock, line, tickets, token, holder, lease_ms, ARGV[i + 2], ARGV[i + 3])
  if type(answer) == 'table' then
    return answer
  end
  answers[#answers + 1] = answer
  at = at + (token and 4 or 3)
end
return notify_granted(table.concat(answers, ','), publish, told)
