-- fair-lock/acquire: take hold number `count` of a fair lock, or a place in its queue.
--
-- It states an outcome and counts nothing, so running it twice equals running it once.
--
-- KEYS[1] lock       hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] cancelled  string   private: present while this holder id is burnt
-- KEYS[3] queue      list     waiting holders, the next one first
-- KEYS[4] timeouts   zset     waiting holder -> instant in ms at which Java counts it as absent
-- KEYS[5] beats      zset     private: client -> instant in ms at which it last stood in the queue
-- KEYS[*] twin_beats zset     the beats of the name with which it shares its queue, where there is one
-- ARGV[1] holder     string   who asks
-- ARGV[2] count      integer  1 needs the lock free or mine, more needs it mine
-- ARGV[3] lease_ms   integer  lease to have at least, from now
-- ARGV[4] place      string   none: only ask; line: queue; front: it stood in the queue before, the
--                             first of its client, and goes to the front if it was evicted
-- ARGV[5] publish    string   PUBLISH or SPUBLISH
-- ARGV[6] channel    string   what the channel of each waiter begins with
-- returns integer?   null when taken, else ms after which to ask again at the latest (-1: nobody
--                    knows), -2 a re-entry whose lock nobody holds any more, -4 somebody else does,
--                    -3 the holder id is burnt

-- include lib/lock_admit
-- include lib/fair_leave_queue
-- include lib/needs_memory
-- include lib/now_ms
-- include lib/fair_queue_head
-- include lib/fair_queue_refusal
-- include lib/fair_stand_in_queue
-- include lib/tell
-- include lib/lock_write_hold
local lock, cancelled, queue, timeouts, beats = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local holder, count, lease_ms, place = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]

local refusal, held = lock_admit(lock, cancelled, holder, count)
if type(refusal) == 'table' or refusal and refusal < -1 then
  return refusal
end
if not refusal and held > 0 then
  return lock_write_hold(lock, holder, held, count, lease_ms)
end
local first = redis.call('LINDEX', queue, 0)
local now = now_ms()
local is_behind = first and first ~= holder
if is_behind and (place ~= 'none' or not refusal) then
  local is_shared = fair_queue_refusal(lock, queue, now, unpack(KEYS, 6))
  if is_shared then
    return is_shared
  end
end
if place ~= 'none' and (refusal or is_behind) then
  -- A copy of an ask that was given up must not leave a ghost in the queue.
  if redis.call('EXISTS', cancelled) == 1 then
    return -3
  end
  needs_memory(beats)
  fair_stand_in_queue(queue, timeouts, beats, holder, place == 'front', now)
end
if refusal then
  return refusal
end
-- The caller is alive, since it asks, however long ago its last sign of life was.
if is_behind then
  local head, left = fair_queue_head(queue, timeouts, beats, now)
  if head and head ~= holder then
    if
      place ~= 'front'
      or string.sub(head, 1, CLIENT_ID_LENGTH) ~= string.sub(holder, 1, CLIENT_ID_LENGTH)
    then
      -- Java drops an absent head without a word, and a message may be lost: whoever stands behind
      -- a free lock tells its head again.
      if head ~= first or place == 'front' then
        return tell(left, ARGV[5], ARGV[6] .. ':' .. head, '0')
      end
      return left
    end
    -- It is its client's turn, and the client lets this one go first: they change places.
    redis.call('ZADD', timeouts, redis.call('ZSCORE', timeouts, holder), head)
    redis.call('LPOP', queue)
    redis.call('LINSERT', queue, 'AFTER', holder, head)
  end
end
if first then
  needs_memory(beats)
  fair_leave_queue(queue, timeouts, beats, holder)
end
return lock_write_hold(lock, holder, 0, count, lease_ms)
