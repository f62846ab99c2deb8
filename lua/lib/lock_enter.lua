-- Takes a lock, or a ticket in its line: see lock/enter, which `terms` has the arguments of. Returns its answer, or
-- an error, and where a message is due its channel and the message.
-- include lib/ahead_ms
-- include lib/line_before
-- include lib/now_ms
-- include lib/lock_admit
-- include lib/lock_write_hold
-- include lib/line_first
-- include lib/line_grant
-- include lib/line_leave
-- include lib/line_put
-- include lib/line_replace
-- include lib/line_stands_back
-- include lib/needs_no_memory
-- include lib/own_channel
-- include lib/own_listening
-- include lib/tells_holder
-- include lib/token_issue
local function lock_enter(keys, token, holder, terms)
  local lock, tombstone, line, tickets = unpack(keys)
  local lease_ms, window_ms, is_listening_there =
    terms.lease_ms, terms.window_ms, terms.is_listening
  local tokens, publish, replaces = terms.tokens, terms.publish, terms.replaces

  local function granted(held, others)
    local issued = '0'
    if token then
      if held > 0 then
        -- It was granted before, and the answer may be lost. A failover may have lost later grants, so it gets new
        -- tokens.
        needs_no_memory(lock)
      end
      issued = token_issue(token, tokens)
    end
    if type(issued) == 'table' then
      return issued
    end
    return lock_write_hold(lock, holder, held, 1, lease_ms) or others .. issued
  end

  if redis.call('EXISTS', lock, tombstone, line, tickets) == 0 then
    -- Nobody has it and nobody has waited lately, as in most acquisitions.
    return granted(0, '+ 0 ')
  end
  -- Takes the lock over from a holder that was granted it, with tokens of its own.
  local function granted_in_place(old)
    -- Before any change: a user who lacks a right changes nothing.
    redis.call('HDEL', lock, '')
    local issued = token and token_issue(token, tokens) or '0'
    if type(issued) == 'table' then
      return issued
    end
    redis.call('PEXPIRE', lock, lease_ms)
    redis.call('HSET', lock, holder, 1)
    redis.call('HDEL', lock, old)
    return '+ 1 ' .. issued
  end
  local function granted_from_line(held)
    line_leave(line, tickets, holder)
    return granted(held, '+ 1 ')
  end

  local now = now_ms()
  if replaces ~= '' and redis.call('EXISTS', tombstone) == 0 then
    if redis.call('HEXISTS', lock, replaces) == 1 then
      return granted_in_place(replaces)
    end
    line_replace(line, tickets, replaces, holder)
  end
  local left_ms, held = lock_admit(lock, tombstone, holder, 1)
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
  if redis.call('EXISTS', tombstone) == 1 then
    -- A late copy of an ask that was given up gets no ticket either.
    return '-3'
  end
  local owner = not is_free and redis.call('HRANDFIELD', lock)
  local is_listening, is_ours = own_listening(holder, owner, lock, publish)
  local is_seen, is_first =
    line_put(line, tickets, holder, now, window_ms, is_listening, is_listening_there)
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
  elseif
    owner
    and is_ours == 1
    and is_first
    and tells_holder(lock, tickets, owner, holder, publish)
  then
    -- A holder that got the lock while there were tickets, or before it listened, is told with a re-check. This one
    -- may be passing the lock on inside its client, which has to end that sooner.
    channel, message = own_channel(owner, lock, publish), 'w' .. owner .. ' ' .. lock
  end
  left_ms = ahead_ms(left_ms, line_before(line, tickets, holder))
  local answer = string.format('%.0f %.0f %.0f %.0f', left_ms, now, is_ours, is_seen)
  return answer, channel, message
end
