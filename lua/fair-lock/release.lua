-- fair-lock/release: state how many of a holder's holds are still alive, and free the lock at none.
--
-- A lock that is free then goes to the first in the queue that can take it. A holder id that only waits
-- leaves the queue, and the entry behind it is told if whoever is before that one now does not hand the
-- lock on. With `tombstone_ms` it also gets a tombstone: no later copy of its acquisition is
-- granted, or makes an entry.
--
-- KEYS[1] lock         hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] tombstone    string   private: the tombstone of this holder id; lives for tombstone_ms
-- KEYS[3] queue        list     wait queue: holder ids, the next one first
-- KEYS[4] timeouts     zset     waiting holder -> ms at which Java counts it as absent
-- KEYS[5] heartbeats   zset     private: client -> its last heartbeat in this queue
-- KEYS[6] tickets      hash     private: waiting holder -> its window, whether its client was seen
-- ARGV[1] holder       string   the holder id that releases
-- ARGV[2] count        integer  its holds that are still alive, re-entries under way included
-- ARGV[3] tombstone_ms integer  life of the tombstone; 0 sets none
-- ARGV[4] publish      string   PUBLISH or SPUBLISH
-- ARGV[5] channel      string   what the channel of each waiter begins with
-- ARGV[*] served       string   waiters to whom its client has passed the lock on: they leave the queue
-- returns integer    1 the lock is free, 2 the lock is free and a waiter of another redlatch client
--                    was notified, -5 it was given to another, 0 other holds keep it; when the holder
--                    did not hold it: -1 it is held by another, -2 it is free

-- at maxmemory: carried out
-- include lib/fair_before
-- include lib/fair_hands_on
-- include lib/fair_leave_queue
-- include lib/fair_serve
-- include lib/lock_foreign
-- include lib/needs_no_memory
-- include lib/notify
-- include lib/now_ms
-- include lib/own_channel
local lock, queue, timeouts, heartbeats, tickets = KEYS[1], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local holder, count, tombstone_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

local function serve()
  return fair_serve(lock, queue, timeouts, heartbeats, tickets, ARGV[4], ARGV[5])
end

if tombstone_ms > 0 then
  needs_no_memory(lock)
  redis.call('SET', KEYS[2], '1', 'PX', tombstone_ms)
end
-- pcall: a waiter must leave the queue even if the key of the lock holds something else.
local held = redis.pcall('HEXISTS', lock, holder)
if held == 1 then
  if count > 0 then
    needs_no_memory(lock)
    redis.call('HSET', lock, holder, count)
    return 0
  end
  if redis.call('HLEN', lock) > 1 then
    redis.call('HDEL', lock, holder)
    return 0
  end
  for i = 6, #ARGV do
    fair_leave_queue(queue, timeouts, heartbeats, tickets, ARGV[i], now_ms())
  end
  local told = serve()
  redis.call('HDEL', lock, holder)
  if not told then
    return 1
  elseif told.is_unfinished then
    return 2
  end
  local is_other = told.client and told.client ~= string.sub(holder, 1, CLIENT_ID_LENGTH)
  return notify(
    told.is_granted and -5 or is_other and 2 or 1,
    told.command,
    told.channel,
    told.payload
  )
end
local is_free = redis.call('EXISTS', lock) == 0
if held == 0 and not is_free then
  held = lock_foreign(lock) or held
end
local first = redis.call('LINDEX', queue, 0)
if count == 0 then
  -- Java may have taken the entry out.
  redis.call('HDEL', tickets, holder)
end
if count > 0 or not first then
  return type(held) == 'table' and held or is_free and -2 or -1
end
local at = redis.call('LPOS', queue, holder)
fair_leave_queue(queue, timeouts, heartbeats, tickets, holder, now_ms())
if type(held) == 'table' then
  return held
end
if is_free and first == holder then
  -- It may have been notified that the lock is free: now the next entry must be.
  local told = serve()
  if not told or told.is_unfinished then
    return -2
  end
  return notify(told.is_granted and -1 or -2, told.command, told.channel, told.payload)
end
local result = is_free and -2 or -1
local next = at and redis.call('LINDEX', queue, at)
if next and redis.call('HEXISTS', tickets, next) == 1 then
  local before = fair_before(lock, queue, at)
  if not (before and fair_hands_on(lock, tickets, before, next, ARGV[4])) then
    -- It has to know that.
    return notify(result, ARGV[4], own_channel(next, lock, ARGV[4]), 'r' .. next .. ' ' .. lock)
  end
end
return result
