-- States how many of a holder's holds of a lock are still alive, and frees it at none: see lock/release.
-- Returns its result, or an error, and where a message is due its channel and the message.
-- include lib/line_first
-- include lib/line_grant
-- include lib/line_leave
-- include lib/line_turn
-- include lib/lock_foreign
-- include lib/needs_no_memory
-- include lib/now_ms
-- include lib/own_channel
-- include lib/own_listeners
local function lock_release(keys, token, holder, count, tombstone_ms, publish, channel, listens)
  local lock, tombstone, line, tickets = unpack(keys)
  if tombstone_ms > 0 then
    needs_no_memory(lock)
    redis.call('SET', tombstone, '1', 'PX', tombstone_ms)
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
    if not head or own_listeners(redis.call('HRANDFIELD', lock), lock, publish) > 0 then
      return -1
    end
    -- Its release will serve no line: the first one there has to know.
    return -1, own_channel(head, lock, publish), 'r' .. head .. ' ' .. lock
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
    first, window_ms = line_first(lock, line, tickets, now, publish)
  end
  local has_line = first ~= nil
  local length = has_line and redis.call('LLEN', line) or 0
  local is_opened = is_held
    and (has_line or listens ~= '-1')
    and line_turn(tickets, length, math.max(0, listens), publish, channel, now)
  local to, message = nil, nil
  if has_line and not is_opened then
    -- Before the removal: a user who lacks a right changes nothing.
    to, message = line_grant(lock, line, tickets, token, now, first, window_ms, publish)
    if type(to) == 'table' then
      return to
    end
  end
  redis.call('HDEL', lock, holder)
  if message then
    return is_held and -5 or -1, to, message
  end
  if is_opened and has_line then
    return -6, channel, '0'
  end
  if not is_held then
    return -2
  end
  return 1, channel, '0'
end
