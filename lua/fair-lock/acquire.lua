-- fair-lock/acquire: take hold number `count` of a fair lock, or an entry in its queue.
--
-- It states an outcome and counts nothing, so running it twice equals running it once. A lock that is
-- found free goes to the first in the queue that can take it; this holder may be the first. The holder is
-- told once that another client waits with a ticket.
--
-- KEYS[1] lock            hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] tombstone       string   private: exists while this holder id has a tombstone
-- KEYS[3] queue           list     wait queue: holder ids, the next one first
-- KEYS[4] timeouts        zset     waiting holder -> ms at which Java counts it as absent
-- KEYS[5] heartbeats      zset     private: client -> its last heartbeat in this queue
-- KEYS[6] tickets         hash     private: waiting holder -> its window, whether its client was seen
-- KEYS[*] twin_heartbeats zset     heartbeats of the name with which this one shares its queue,
--                                  where there is one
-- ARGV[1] holder          string   the holder id that asks
-- ARGV[2] count           integer  1 if the lock may be free, more if the holder must hold it
--                                  already
-- ARGV[3] lease_ms        integer  the least lease to have from now on
-- ARGV[4] position        string   none: no entry is made in the queue; queue: an entry at its end;
--                                  front: the holder has had an entry before, the first of its
--                                  client, and gets one at the front if that was lost
-- ARGV[5] window_ms       integer  the lease of a grant that the holder is told of, on the own channel
--                                  of its client: its entry has a ticket; 0 if it is only told that
--                                  the lock is free, and asks
-- ARGV[6] publish         string   PUBLISH or SPUBLISH
-- ARGV[7] channel         string   what the channel of each waiter begins with
-- returns string     "+ 2 0" when granted, else the ms after which to ask again at the latest (-1:
--                    unknown), "-2" a re-entry into a lock that is free by now, "-4" a re-entry into a
--                    lock held by another, "-3" the holder id has a tombstone. To a holder with a
--                    ticket, after the ms: the server's time, whether whoever has the lock just before
--                    it hands it on, and whether its client listens to its own channel; then the holder
--                    of the lock, if that is of the same client, which may not know of its grant

-- include lib/ahead_ms
-- include lib/fair_before
-- include lib/fair_enter_queue
-- include lib/fair_first
-- include lib/fair_grant
-- include lib/fair_hands_on
-- include lib/fair_leave_queue
-- include lib/fair_put_ticket
-- include lib/fair_queue_refusal
-- include lib/lock_admit
-- include lib/lock_write_hold
-- include lib/needs_memory
-- include lib/notify
-- include lib/now_ms
-- include lib/own_channel
-- include lib/sole_holder
-- include lib/tells_holder
-- include lib/tickets_checked
local lock, tombstone, queue, timeouts, heartbeats, tickets =
  KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local holder, count, lease_ms, position = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]

local refusal, held = lock_admit(lock, tombstone, holder, count)
if type(refusal) == 'table' then
  return refusal
elseif refusal and refusal < -1 then
  return tostring(refusal)
elseif not refusal and held > 0 then
  return lock_write_hold(lock, holder, held, count, lease_ms) or '+ 2 0'
end
local first = redis.call('LINDEX', queue, 0)
local now = now_ms()
local is_behind = first and first ~= holder
if is_behind and (position ~= 'none' or not refusal) then
  local is_shared = fair_queue_refusal(lock, queue, now, unpack(KEYS, 7))
  if is_shared then
    return is_shared
  end
end
local is_seen = nil
if position ~= 'none' and (refusal or is_behind) then
  -- A late copy of an acquisition that was given up or released must not leave an entry.
  if redis.call('EXISTS', tombstone) == 1 then
    return '-3'
  end
  tickets_checked(tickets)
  needs_memory(heartbeats)
  fair_enter_queue(queue, timeouts, heartbeats, holder, position == 'front', now)
  is_seen = ARGV[5] ~= '0' and fair_put_ticket(lock, tickets, holder, ARGV[5], ARGV[6])
end

-- The holder of the lock, where a waiter of another client has read it.
local owner = nil

-- The answer to a holder that has to wait.
local function waiting(left)
  if not is_seen then
    return string.format('%.0f', left)
  end
  local at = redis.call('LINDEX', queue, -1) == holder and -1 or redis.call('LPOS', queue, holder)
  local before = fair_before(lock, queue, at or 0)
  local ticket = before and redis.call('HGET', tickets, before)
  left = ahead_ms(left, ticket and string.match(ticket, '^%d+'))
  local is_ours = before and fair_hands_on(lock, tickets, before, holder, ARGV[6]) and 1 or 0
  local answer = string.format('%.0f %.0f %.0f %s', left, now, is_ours, is_seen)
  local has_it = sole_holder(lock)
  if
    has_it
    and string.sub(has_it, 1, CLIENT_ID_LENGTH) == string.sub(holder, 1, CLIENT_ID_LENGTH)
  then
    return answer .. ' ' .. has_it
  end
  owner = has_it
  return answer
end

if refusal then
  local answer = waiting(refusal)
  if owner and tells_holder(lock, tickets, owner, holder, ARGV[6]) then
    return notify(answer, ARGV[6], own_channel(owner, lock, ARGV[6]), 'w' .. owner .. ' ' .. lock)
  end
  return answer
end
-- The holder itself is alive, since it asks, however long ago the last heartbeat was.
if is_behind then
  local head, window_ms, left, at =
    fair_first(lock, queue, timeouts, heartbeats, tickets, now, ARGV[6])
  if not head and left then
    return waiting(left)
  end
  if head and head ~= holder then
    if
      position ~= 'front'
      or string.sub(head, 1, CLIENT_ID_LENGTH) ~= string.sub(holder, 1, CLIENT_ID_LENGTH)
    then
      if window_ms then
        local channel, message =
          fair_grant(lock, queue, timeouts, heartbeats, tickets, now, head, window_ms, at, ARGV[6])
        return notify(waiting(window_ms), ARGV[6], channel, message)
      end
      -- Java drops an absent head without a message, and a message may be lost: a waiter that finds
      -- the lock free, but is not its head, notifies the head again.
      if head ~= first or position == 'front' then
        return notify(waiting(left), ARGV[6], ARGV[7] .. ':' .. head, '0')
      end
      return waiting(left)
    end
    -- The head is of the same client, which lets this holder go first: they change positions.
    redis.call('ZADD', timeouts, redis.call('ZSCORE', timeouts, holder), head)
    redis.call('LREM', queue, 1, head)
    redis.call('LINSERT', queue, 'AFTER', holder, head)
  end
end
if first then
  needs_memory(heartbeats)
  fair_leave_queue(queue, timeouts, heartbeats, tickets, holder, now)
end
return lock_write_hold(lock, holder, 0, count, lease_ms) or '+ 2 0'
