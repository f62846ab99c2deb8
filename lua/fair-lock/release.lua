-- fair-lock/release: state how many of a holder's holds are still alive, and free the lock at none.
--
-- A lock that is free then goes to the first in the queue that can take it. A holder id that only waits
-- leaves the queue, and `others` leave it in any case; the entry behind each of them is told if whoever is
-- before that one now does not hand the lock on. With `tombstone_ms` the holder id also gets a tombstone:
-- no later copy of its acquisition is granted, or makes an entry.
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
-- ARGV[*] others       string   waiters of its client that leave the queue: the lock was passed on to them,
--                               or they have given up, and one of them may have been granted the lock
-- returns integer    1 the lock is free, -5 it was given to another, 0 other holds keep it; when the holder
--                    did not hold it: -1 it is held by another, -2 it is free

-- at maxmemory: carried out
-- include lib/fair_before
-- include lib/fair_hands_on
-- include lib/fair_leave_queue
-- include lib/fair_serve
-- include lib/lock_foreign
-- include lib/needs_no_memory
-- include lib/notify_granted
-- include lib/now_ms
-- include lib/own_channel
local lock, queue, timeouts, heartbeats, tickets = KEYS[1], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local holder, count, tombstone_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

if tombstone_ms > 0 then
  needs_no_memory(lock)
  redis.call('SET', KEYS[2], '1', 'PX', tombstone_ms)
end
-- pcall: a waiter must leave the queue even if the key of the lock holds something else.
local held = redis.pcall('HEXISTS', lock, holder)
for i = 6, held == 0 and #ARGV or 0 do
  if redis.call('HEXISTS', lock, ARGV[i]) == 1 then
    held, holder, ARGV[i] = 1, ARGV[i], holder
  end
end
local others, leaves, told = { select(6, unpack(ARGV)) }, { [holder] = count == 0 }, {}
for _, id in ipairs(others) do
  leaves[id] = true
end

-- The entry behind one that leaves has to know if whoever is before it now does not hand the lock on.
local function leave_queue(ids)
  for _, id in ipairs(ids) do
    local at = redis.call('LPOS', queue, id)
    fair_leave_queue(queue, timeouts, heartbeats, tickets, id, now_ms())
    local next = at and redis.call('LINDEX', queue, at)
    if next and not leaves[next] and redis.call('HEXISTS', tickets, next) == 1 then
      local before = fair_before(lock, queue, at)
      local hands_on = before
        and (leaves[before] or fair_hands_on(lock, tickets, before, next, ARGV[4]))
      if not hands_on then
        told[#told + 1] = own_channel(next, lock, ARGV[4])
        told[#told + 1] = 'r' .. next .. ' ' .. lock
      end
    end
  end
end

-- Serves the queue of a lock that is free, or about to be.
local function serve()
  local served = fair_serve(lock, queue, timeouts, heartbeats, tickets, ARGV[4], ARGV[5])
  if served then
    told[#told + 1], told[#told + 2] = served.channel, served.payload
  end
  return served
end

if held == 1 then
  local is_last = count == 0 and redis.call('HLEN', lock) == 1
  if count > 0 then
    needs_no_memory(lock)
    redis.call('HSET', lock, holder, count)
  end
  leave_queue(others)
  local served = is_last and serve()
  if count == 0 then
    redis.call('HDEL', lock, holder)
  end
  local result = is_last and 1 or 0
  if served and served.is_granted then
    result = -5
  end
  return notify_granted(result, ARGV[4], told)
end
local is_free = redis.call('EXISTS', lock) == 0
if held == 0 and not is_free then
  held = lock_foreign(lock) or held
end
if count == 0 then
  others[#others + 1] = holder
  -- Java may have taken the entries out.
  redis.call('HDEL', tickets, unpack(others))
end
local result = is_free and -2 or -1
local first = redis.call('LINDEX', queue, 0)
if first then
  leave_queue(others)
end
if type(held) == 'table' then
  return held
end
if is_free and leaves[first] then
  -- It may have been notified that the lock is free: now the next entry must be.
  local served = serve()
  result = served and served.is_granted and -1 or -2
end
return notify_granted(result, ARGV[4], told)
