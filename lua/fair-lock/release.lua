-- fair-lock/release: state how many of a holder's holds are still alive; at none free the lock and
-- tell the head of the queue.
--
-- A holder that only waits gives up its place. With `burn_ms` it also burns the holder id: no later
-- copy of its acquisition is granted or queues.
--
-- KEYS[1] lock       hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] cancelled  string   private: burns this holder id; lives for burn_ms
-- KEYS[3] queue      list     waiting holders, the next one first
-- KEYS[4] timeouts   zset     waiting holder -> instant in ms at which Java counts it as absent
-- KEYS[5] beats      zset     private: client -> instant in ms at which it last stood in the queue
-- ARGV[1] holder     string   who releases
-- ARGV[2] count      integer  its holds still alive, re-entries under way included
-- ARGV[3] burn_ms    integer  0 burns nothing
-- ARGV[4] publish    string   PUBLISH or SPUBLISH
-- ARGV[5] channel    string   what the channel of each waiter begins with
-- returns integer    1 the lock is free, 2 and a waiter of another client of ours was told, 0 other
--                    holds keep it, and when the holder had it not: -1 somebody else has it, -2
--                    nobody has

-- include lib/fair_head_to_tell
-- include lib/fair_leave_queue
-- include lib/tell
local lock, queue, timeouts, beats = KEYS[1], KEYS[3], KEYS[4], KEYS[5]
local holder, count, burn_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

if burn_ms > 0 then
  redis.call('SET', KEYS[2], '1', 'PX', burn_ms)
end
-- pcall: a waiter must leave the queue even if something else was written over the lock.
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
  local head, is_ours = fair_head_to_tell(queue, timeouts, beats)
  redis.call('HDEL', lock, holder)
  if not head then
    return 1
  end
  local passes = is_ours
    and string.sub(head, 1, CLIENT_ID_LENGTH) ~= string.sub(holder, 1, CLIENT_ID_LENGTH)
  return tell(passes and 2 or 1, ARGV[4], ARGV[5] .. ':' .. head, '0')
end
local is_free = redis.call('EXISTS', lock) == 0
local first, next_head = redis.call('LINDEX', queue, 0), nil
if count == 0 and first then
  fair_leave_queue(queue, timeouts, beats, holder)
  -- It may have been told that the lock is free: whoever is next must be told as well.
  if is_free and first == holder then
    next_head = fair_head_to_tell(queue, timeouts, beats)
  end
end
if type(held) == 'table' then
  return held
end
if next_head then
  return tell(-2, ARGV[4], ARGV[5] .. ':' .. next_head, '0')
end
return is_free and -2 or -1
