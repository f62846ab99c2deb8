-- fair-lock/acquire: take hold number `count` of a fair lock, or an entry in its queue.
--
-- It states an outcome and counts nothing, so running it twice equals running it once.
--
-- KEYS[1] lock            hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] tombstone       string   private: exists while this holder id has a tombstone
-- KEYS[3] queue           list     wait queue: holder ids, the next one first
-- KEYS[4] timeouts        zset     waiting holder -> ms at which Java counts it as absent
-- KEYS[5] heartbeats      zset     private: client -> its last heartbeat in this queue
-- KEYS[*] twin_heartbeats zset     heartbeats of the name with which this one shares its queue,
--                                  where there is one
-- ARGV[1] holder          string   the holder id that asks
-- ARGV[2] count           integer  1 if the lock may be free, more if the holder must hold it
--                                  already
-- ARGV[3] lease_ms        integer  the least lease to have from now on
-- ARGV[4] position        string   none: no entry is made in the queue; queue: an entry at its end;
--                                  front: the holder has had an entry before, the first of its
--                                  client, and gets one at the front if Java has evicted it
-- ARGV[5] publish         string   PUBLISH or SPUBLISH
-- ARGV[6] channel         string   what the channel of each waiter begins with
-- returns integer?   null when granted, else ms after which to ask again at the latest (-1:
--                    unknown), -2 a re-entry into a lock that is free by now, -4 a re-entry into a
--                    lock held by another, -3 the holder id has a tombstone

-- include lib/lock_admit
-- include lib/fair_leave_queue
-- include lib/needs_memory
-- include lib/now_ms
-- include lib/fair_queue_head
-- include lib/fair_queue_refusal
-- include lib/fair_enter_queue
-- include lib/notify
-- include lib/lock_write_hold
local lock, tombstone, queue, timeouts, heartbeats = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local holder, count, lease_ms, position = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]

local refusal, held = lock_admit(lock, tombstone, holder, count)
if type(refusal) == 'table' or refusal and refusal < -1 then
  return refusal
end
if not refusal and held > 0 then
  return lock_write_hold(lock, holder, held, count, lease_ms)
end
local first = redis.call('LINDEX', queue, 0)
local now = now_ms()
local is_behind = first and first ~= holder
if is_behind and (position ~= 'none' or not refusal) then
  local is_shared = fair_queue_refusal(lock, queue, now, unpack(KEYS, 6))
  if is_shared then
    return is_shared
  end
end
if position ~= 'none' and (refusal or is_behind) then
  -- A late copy of an acquisition that was given up or released must not leave an entry.
  if redis.call('EXISTS', tombstone) == 1 then
    return -3
  end
  needs_memory(heartbeats)
  fair_enter_queue(queue, timeouts, heartbeats, holder, position == 'front', now)
end
if refusal then
  return refusal
end
-- The holder itself is alive, since it asks, however long ago the last heartbeat was.
if is_behind then
  local head, left = fair_queue_head(queue, timeouts, heartbeats, now)
  if head and head ~= holder then
    if
      position ~= 'front'
      or string.sub(head, 1, CLIENT_ID_LENGTH) ~= string.sub(holder, 1, CLIENT_ID_LENGTH)
    then
      -- Java drops an absent head without a message, and a message may be lost: a waiter that finds
      -- the lock free, but is not its head, notifies the head again.
      if head ~= first or position == 'front' then
        return notify(left, ARGV[5], ARGV[6] .. ':' .. head, '0')
      end
      return left
    end
    -- The head is of the same client, which lets this holder go first: they change positions.
    redis.call('ZADD', timeouts, redis.call('ZSCORE', timeouts, holder), head)
    redis.call('LPOP', queue)
    redis.call('LINSERT', queue, 'AFTER', holder, head)
  end
end
if first then
  needs_memory(heartbeats)
  fair_leave_queue(queue, timeouts, heartbeats, holder)
end
return lock_write_hold(lock, holder, 0, count, lease_ms)
