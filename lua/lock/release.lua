-- lock/release: state how many of a holder's holds are still alive, and free the lock at none.
--
-- A lock that is free then goes to the first in the line, unless it is time to free it openly. With
-- `tombstone_ms` it also sets a tombstone for the holder id: no later copy of its acquisition is
-- granted.
--
-- KEYS[1] lock         hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] tombstone    string   private: the tombstone of this holder id; lives for tombstone_ms
-- KEYS[3] line         list     private: holder ids that wait, in order
-- KEYS[4] tickets      hash     private: holder id -> when it was last heard of, its window, flags
-- KEYS[*] token        string   of a fenced lock: last token issued
-- ARGV[1] holder       string   the holder id that releases
-- ARGV[2] count        integer  its holds that are still alive, re-entries under way included
-- ARGV[3] tombstone_ms integer  life of the tombstone; 0 sets none
-- ARGV[4] publish      string   PUBLISH or SPUBLISH
-- ARGV[5] channel      string   where waiters of the lock listen
-- ARGV[6] listens      integer  how many connections of its client listen to that channel; -1 if the
--                               client does not stand back for those who stand in no line
-- returns integer    1 the lock is free, and 1 more for each connection that was notified; 0 other
--                    holds keep it; -5 it was given to another; -6 it is free, and those in the line
--                    stand back for STAND_BACK_MS; when the holder did not hold it: -1 it is held by
--                    another, -2 it is free

-- at maxmemory: carried out
-- include lib/line_first
-- include lib/line_grant
-- include lib/line_leave
-- include lib/line_turn
-- include lib/lock_foreign
-- include lib/needs_no_memory
-- include lib/notify
-- include lib/now_ms
-- include lib/own_channel
-- include lib/own_listeners
local lock, holder, count, tombstone_ms = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local line, tickets, token = KEYS[3], KEYS[4], select(5, unpack(KEYS))

if tombstone_ms > 0 then
  needs_no_memory(lock)
  redis.call('SET', KEYS[2], '1', 'PX', tombstone_ms)
end
local is_held = redis.pcall('HEXISTS', lock, holder)
if type(is_held) == 'table' then
  if string.find(is_held.err, 'WRONGTYPE', 1, true) then
    -- The key was overwritten with another type. The ticket goes, or it would be granted later.
    line_leave(line, tickets, holder)
  end
  return is_held
end
is_held = is_held == 1
if not is_held and redis.call('EXISTS', lock) == 1 then
  line_leave(line, tickets, holder)
  local wrong = lock_foreign(lock)
  if wrong then
    return wrong
  end
  local head = redis.call('LINDEX', line, 0)
  if not head or own_listeners(redis.call('HRANDFIELD', lock), lock, ARGV[4]) > 0 then
    return -1
  end
  -- Its release will serve no line: the first one there has to know.
  return notify(-1, ARGV[4], own_channel(head, lock, ARGV[4]), 'r' .. head .. ' ' .. lock)
end
if is_held and count > 0 then
  needs_no_memory(lock)
  redis.call('HSET', lock, holder, count)
  return 0
end
if is_held and redis.call('HLEN', lock) > 1 then
  redis.call('HDEL', lock, holder)
  return 0
end
local now, first, window_ms = nil, nil, nil
if redis.call('EXISTS', line) == 1 then
  now = now_ms()
  if not is_held then
    line_leave(line, tickets, holder)
  end
  first, window_ms = line_first(lock, line, tickets, now, ARGV[4])
end
local has_line = first ~= nil
local length = has_line and redis.call('LLEN', line) or 0
local is_opened = is_held
  and (has_line or ARGV[6] ~= '-1')
  and line_turn(tickets, length, math.max(0, ARGV[6]), ARGV[4], ARGV[5], now)
local channel, message = nil, nil
if has_line and not is_opened then
  -- Before the removal: a user who lacks a right changes nothing.
  channel, message = line_grant(lock, line, tickets, token, now, first, window_ms, ARGV[4])
  if type(channel) == 'table' then
    return channel
  end
end
redis.call('HDEL', lock, holder)
if message then
  return notify(is_held and -5 or -1, ARGV[4], channel, message)
end
if is_opened and has_line then
  return notify(-6, ARGV[4], ARGV[5], '0')
end
if not is_held then
  return -2
end
return notify(1, ARGV[4], ARGV[5], '0', true)
