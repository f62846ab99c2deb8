-- fair-lock/release: state how many of a holder's holds are still alive; at none free the lock and
-- notify the head of the queue.
--
-- A holder id that only waits leaves the queue. With `tombstone_ms` it also gets a tombstone: no
-- later copy of its acquisition is granted, or makes an entry.
--
-- KEYS[1] lock         hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] tombstone    string   private: the tombstone of this holder id; lives for tombstone_ms
-- KEYS[3] queue        list     wait queue: holder ids, the next one first
-- KEYS[4] timeouts     zset     waiting holder -> ms at which Java counts it as absent
-- KEYS[5] heartbeats   zset     private: client -> its last heartbeat in this queue
-- ARGV[1] holder       string   the holder id that releases
-- ARGV[2] count        integer  its holds that are still alive, re-entries under way included
-- ARGV[3] tombstone_ms integer  life of the tombstone; 0 sets none
-- ARGV[4] publish      string   PUBLISH or SPUBLISH
-- ARGV[5] channel      string   what the channel of each waiter begins with
-- returns integer    1 the lock is free, 2 the lock is free and a waiter of another latchkey client
--                    was notified, 0 other holds keep it; when the holder did not hold it: -1 it is
--                    held by another, -2 it is free

-- include lib/fair_head_to_notify
-- include lib/fair_leave_queue
-- include lib/notify
local lock, queue, timeouts, heartbeats = KEYS[1], KEYS[3], KEYS[4], KEYS[5]
local holder, count, tombstone_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

if tombstone_ms > 0 then
  redis.call('SET', KEYS[2], '1', 'PX', tombstone_ms)
end
-- pcall: a waiter must leave the queue even if the key of the lock holds something else.
local held = redis.pcall('HEXISTS', lock, holder)
if held == 1 then
  if count > 0 then
    redis.call('HSET', lock, holder, count)
    return 0
  end
  if redis.call('HLEN', lock) > 1 then
    redis.call('HDEL', lock, holder)
    return 0
  end
  local head, is_ours = fair_head_to_notify(queue, timeouts, heartbeats)
  redis.call('HDEL', lock, holder)
  if not head then
    return 1
  end
  local is_handed_on = is_ours
    and string.sub(head, 1, CLIENT_ID_LENGTH) ~= string.sub(holder, 1, CLIENT_ID_LENGTH)
  return notify(is_handed_on and 2 or 1, ARGV[4], ARGV[5] .. ':' .. head, '0')
end
local is_free = redis.call('EXISTS', lock) == 0
local first, next_head = redis.call('LINDEX', queue, 0), nil
if count == 0 and first then
  fair_leave_queue(queue, timeouts, heartbeats, holder)
  -- The holder may have been notified that the lock is free: now the next entry must be.
  if is_free and first == holder then
    next_head = fair_head_to_notify(queue, timeouts, heartbeats)
  end
end
if type(held) == 'table' then
  return held
end
if next_head then
  return notify(-2, ARGV[4], ARGV[5] .. ':' .. next_head, '0')
end
return is_free and -2 or -1
