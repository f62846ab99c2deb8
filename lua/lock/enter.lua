-- lock/enter: take a lock, or a ticket in the line of those who wait for it.
--
-- A lock that is free goes to the first in the line; this holder may be the first. Running it twice
-- equals running it once.
--
-- KEYS[1] lock         hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] tombstone    string   private: exists while this holder id has a tombstone
-- KEYS[3] line         list     private: holder ids that wait, in order
-- KEYS[4] tickets      hash     private: holder id -> when it was last heard of, its window, flags
-- KEYS[*] token        string   of a fenced lock: last token issued
-- ARGV[1] holder       string   the holder id that asks
-- ARGV[2] lease_ms     integer  the lease that it takes at once
-- ARGV[3] window_ms    integer  the lease of a grant that it is told of later
-- ARGV[4] is_listening integer  1 if its client listens to the channel of the lock
-- ARGV[5] tokens       integer  how many fencing tokens a grant at once has
-- ARGV[6] publish      string   PUBLISH or SPUBLISH
-- returns string     "+", whether others wait or have done so lately (0 or 1), and the last of its tokens
--                    or 0; "-3" the holder id has a tombstone; else the ms left on the lease of another
--                    (-1: no limit), the server's time, whether the client of the holder listens to its
--                    own channel, and whether this one does (2: it got no ticket, since the server takes
--                    no more data)

-- include lib/now_ms
-- include lib/lock_admit
-- include lib/lock_write_hold
-- include lib/line_first
-- include lib/line_grant
-- include lib/line_leave
-- include lib/line_put
-- include lib/line_stands_back
-- include lib/notify
-- include lib/own_channel
-- include lib/own_listening
-- include lib/token_issue
local lock, line, tickets, token = KEYS[1], KEYS[3], KEYS[4], select(5, unpack(KEYS))
local holder, lease_ms, window_ms, publish = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[6]

local function granted(held, others)
  local issued = '0'
  if token then
    -- A copy of this ask, or a grant by its ticket, came before: that keeps its tokens.
    issued = held > 0 and redis.call('GET', token) or token_issue(token, tonumber(ARGV[5]))
  end
  if type(issued) == 'table' then
    return issued
  end
  return lock_write_hold(lock, holder, held, 1, lease_ms) or others .. issued
end

if redis.call('EXISTS', lock, KEYS[2], line, tickets) == 0 then
  -- Nobody has it and nobody has waited lately, as in most acquisitions.
  return granted(0, '+ 0 ')
end
local function granted_from_line(held)
  line_leave(line, tickets, holder)
  return granted(held, '+ 1 ')
end

local now = now_ms()
local left_ms, held = lock_admit(lock, KEYS[2], holder, 1)
if type(left_ms) == 'table' then
  return left_ms
elseif left_ms == -3 then
  return '-3'
end
local is_free, first, first_window_ms = not left_ms, nil, nil
if is_free then
  if held > 0 then
    return granted_from_line(held)
  end
  left_ms = line_stands_back(tickets, now)
  if left_ms == 0 then
    first, first_window_ms = line_first(lock, line, tickets, now, publish)
    if not first or first == holder then
      return granted_from_line(0)
    end
  end
end
if redis.call('EXISTS', KEYS[2]) == 1 then
  -- A late copy of an ask that was given up gets no ticket either.
  return '-3'
end
local owner = not is_free and redis.call('HRANDFIELD', lock)
local is_listening, is_ours = own_listening(holder, owner, lock, publish)
local is_seen, is_first = line_put(line, tickets, holder, now, window_ms, is_listening, ARGV[4])
if type(is_seen) == 'table' then
  return is_seen
end
is_ours = is_free and 1 or is_ours
local channel, message = nil, nil
if first then
  left_ms = tonumber(first_window_ms)
  channel, message = line_grant(lock, line, tickets, token, now, first, first_window_ms, publish)
  if type(channel) == 'table' then
    return channel
  end
elseif owner and is_ours == 1 and is_first then
  -- Whoever got the lock while there were tickets knows that others wait. This one does not yet, and
  -- its client may be passing the lock on inside itself.
  channel, message = own_channel(owner, lock, publish), 'w' .. owner .. ' ' .. lock
end
local answer = string.format('%.0f %.0f %.0f %.0f', left_ms, now, is_ours, is_seen)
if not message then
  return answer
end
return notify(answer, publish, channel, message)
