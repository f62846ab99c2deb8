-- Grants a fair lock that is free, or is about to be freed, to a ticket in its queue, for its window.
-- Returns the own channel of its client and the message about that: the holder id, the server's time,
-- the window, how many entries of the same client are right behind it, and the lock. `at` is its index.
-- include lib/fair_leave_queue
-- include lib/own_channel
local function fair_grant(
  lock,
  queue,
  timeouts,
  heartbeats,
  tickets,
  now,
  id,
  window_ms,
  at,
  publish
)
  local client, followers = string.sub(id, 1, CLIENT_ID_LENGTH), 0
  local is_behind = redis.call('LINDEX', queue, at + 1)
  if is_behind and string.sub(is_behind, 1, CLIENT_ID_LENGTH) == client then
    for _, entry in ipairs(redis.call('LRANGE', queue, at + 1, at + FOLLOWERS_MAX)) do
      if string.sub(entry, 1, CLIENT_ID_LENGTH) ~= client then
        break
      end
      followers = followers + 1
    end
  end
  -- These change nothing about the queue, nor about a lock that is to be freed: a user who lacks a right is
  -- refused here. After them the server refuses nothing for want of memory.
  local is_leased = redis.call('PEXPIRE', lock, window_ms) == 1
  redis.call('HSET', tickets, id, redis.call('HGET', tickets, id))
  fair_leave_queue(queue, timeouts, heartbeats, tickets, id, now)
  redis.call('HSET', lock, id, 1)
  if not is_leased then
    redis.call('PEXPIRE', lock, window_ms)
  end
  local message = string.format('f%s %.0f %s %.0f %s', id, now, window_ms, followers, lock)
  return own_channel(id, lock, publish), message
end
