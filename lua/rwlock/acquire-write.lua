-- rwlock/acquire-write: take hold number `count` of the write lock, or say how long to wait.
--
-- A writer that must wait has an entry in the wait queue: readers that come later wait for it, and
-- it waits for readers that came earlier, so that neither starves the other. A lock that is found free
-- goes to the first writer that can take it; this one may be the first. It can take the place of another
-- writer of its client, whose waiter has left. It states an outcome and counts nothing, so running it twice
-- equals running it once.
--
-- KEYS[1] lock          hash     mode, and holder -> number of holds; its TTL is the longest lease
-- KEYS[2] tombstone     string   private: exists while this writer has a tombstone
-- KEYS[3] readers       zset     private: our readers -> end of their lease; its TTL is the lock's
-- KEYS[4] writers       zset     private: waiting writer -> since when; lives 10 minutes
-- KEYS[5] waiting       zset     private: client whose readers wait -> since when; lives 10 minutes
-- KEYS[6] heartbeats    zset     private: client or writer -> its last heartbeat; lives 10 minutes
-- KEYS[7] tickets       hash     private: waiting writer -> when it was last heard of, its window, flags
-- ARGV[1] holder        string   the holder id that asks
-- ARGV[2] count         integer  1 if the lock may be free, more if the holder must hold it already
-- ARGV[3] lease_ms      integer  the least lease to have from now on
-- ARGV[4] position      string   queue: a writer that must wait gets an entry in the wait queue; none:
--                                no entry is made
-- ARGV[5] window_ms     integer  the lease of a grant that the holder is told of, on the own channel of its
--                                client: its entry has a ticket; 0 if it is only told that the lock is
--                                free, and asks
-- ARGV[6] is_listening  integer  1 if its client listens to the channel of the lock
-- ARGV[7] publish       string   PUBLISH or SPUBLISH
-- ARGV[8] channel       string   where waiters of the lock listen
-- ARGV[9] stem          string   what the names of hold keys begin with
-- ARGV[10] replaces     string   the holder id whose place it takes; '' for none
-- ARGV[11] rank         integer  since when it waits, in microseconds; 0: not known, so since now
-- returns string     "+", whether others wait or have done so lately (0: no, 1: yes, 2: readers do), and 0
--                    when granted, else the ms to wait (-1: unknown), "-2" a re-entry into a lock that is
--                    free by now, "-4" a re-entry into a lock held by another, "-3" the holder id has a
--                    tombstone. To a holder with a ticket, after the ms: the server's time, whether those
--                    that hold the lock serve the wait queue with their releases, and whether the client of
--                    the holder listens to its own channel

-- include lib/ahead_ms
-- include lib/line_stands_back
-- include lib/lock_write_hold
-- include lib/needs_memory
-- include lib/notify
-- include lib/own_channel
-- include lib/own_listening
-- include lib/queue_first
-- include lib/queue_heartbeat
-- include lib/rank_new
-- include lib/rw_before
-- include lib/rw_first_writer
-- include lib/rw_grant
-- include lib/rw_leave_line
-- include lib/rw_mode
-- include lib/rw_owner
-- include lib/rw_put_ticket
-- include lib/rw_readers
-- include lib/rw_replace
-- include lib/rw_sweep
-- include lib/tells_holder
-- include lib/tickets_checked
-- include lib/zadd_for
local keys = {
  lock = KEYS[1],
  readers = KEYS[3],
  writers = KEYS[4],
  waiting = KEYS[5],
  heartbeats = KEYS[6],
  tickets = KEYS[7],
  publish = ARGV[7],
}
local lock, holder, count, lease_ms = keys.lock, ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local field, has_ticket = holder .. ':write', ARGV[5] ~= '0'

local function write_first_hold()
  -- The TTL comes first, though there is no key to set it on: a user who may not set it gets nothing.
  redis.call('PEXPIRE', lock, lease_ms)
  redis.call('HSET', lock, 'mode', 'write', field, count)
  redis.call('PEXPIRE', lock, lease_ms)
end

if
  count == 1
  and redis.call('EXISTS', lock, KEYS[2], keys.readers, keys.writers, keys.waiting, keys.tickets)
    == 0
then
  -- Nobody has it and nobody has waited lately, as in most acquisitions.
  needs_memory(keys.readers)
  write_first_hold()
  return '+ 0 0'
end
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)
local mode = rw_mode(lock)
if type(mode) == 'table' then
  return mode
end
local freed = rw_sweep(lock, keys.readers, now)
mode = not freed and mode

-- For how many ms others hold the lock; nil when nobody does.
local function kept_ms()
  if mode == 'write' then
    return redis.call('PTTL', lock)
  end
  local left_ms = mode and rw_readers(lock, keys.readers, now, ARGV[9])
  if left_ms then
    return left_ms
  end
  freed = freed or mode == 'read'
  mode = false
  return nil
end

-- For how many ms others come first, where nobody holds the lock, nil when this one gets it; and whom it
-- is given to: a writer, its window, and whether readers wait.
local function behind_ms()
  local back_ms = has_ticket and line_stands_back(keys.tickets, now) or 0
  if back_ms > 0 then
    return back_ms
  end
  local reader, reader_since, reader_ms = queue_first(keys.waiting, keys.heartbeats, now)
  local first, since, _, window_ms = rw_first_writer(keys, now, true)
  if first and first ~= holder and has_ticket and not (reader and reader_since < since) then
    return tonumber(window_ms), first, window_ms, reader and 1 or 0
  end
  -- One that has not waited comes after all readers that wait, whatever the clock says.
  local own_since = tonumber(redis.call('ZSCORE', keys.writers, holder) or math.huge)
  return reader and reader_since < own_since and reader_ms or nil
end

local told_channel, message = nil, nil

-- What is said to a writer that has to wait, which gets an entry.
local function waits(left_ms)
  if ARGV[4] ~= 'queue' then
    return string.format('%.0f', left_ms)
  end
  -- These fail where the keys hold something else, before anything is written.
  redis.call('ZCARD', keys.heartbeats)
  tickets_checked(keys.tickets)
  local rank = rank_new(micros, keys.writers, keys.waiting)
  zadd_for(keys.writers, QUEUE_TTL_MS, 'NX', rank, holder)
  queue_heartbeat(keys.heartbeats, holder, now)
  if not has_ticket then
    return string.format('%.0f', left_ms)
  end
  local owner = mode == 'write' and rw_owner(lock)
  local is_seen, is_ours = own_listening(holder, owner, lock, keys.publish)
  local may_tell = rw_put_ticket(keys.tickets, holder, now, ARGV[5], is_seen, ARGV[6])
  if mode == 'read' then
    -- As far as their number tells, all but `mode` are readers of ours.
    is_ours = redis.call('HLEN', lock) - 1 <= redis.call('ZCARD', keys.readers) and 1 or 0
  elseif not owner then
    is_ours = mode == 'write' and 0 or 1
  elseif
    is_ours == 1
    and may_tell
    and tells_holder(lock, keys.tickets, owner, holder, keys.publish)
  then
    -- A holder that got the lock while there were tickets is told with a heartbeat, this one at once.
    told_channel = own_channel(owner, lock, keys.publish)
    message = 'w' .. owner .. ' ' .. lock
  end
  local since = tonumber(redis.call('ZSCORE', keys.writers, holder) or rank)
  left_ms = ahead_ms(left_ms, rw_before(keys, since))
  return string.format('%.0f %.0f %.0f %.0f', left_ms, now, is_ours, is_seen)
end

local function granted(held)
  local others = redis.call('EXISTS', keys.tickets)
  if queue_first(keys.waiting, keys.heartbeats, now) then
    others = 2
  end
  needs_memory(keys.readers)
  -- These change nothing: a user who may not take the entry out gets no hold.
  redis.call('ZREM', keys.writers, '')
  redis.call('HDEL', keys.tickets, '')
  if held > 0 then
    lock_write_hold(lock, field, held, count, lease_ms)
  else
    redis.call('UNLINK', keys.readers)
    write_first_hold()
  end
  rw_leave_line(keys, holder)
  return string.format('+ %.0f 0', others)
end

-- Takes the lock over from a writer that was granted it.
local function granted_in_place(old)
  -- Before any change: a user who lacks a right changes nothing.
  redis.call('HDEL', lock, '')
  local answer = granted(1)
  redis.call('PEXPIRE', lock, lease_ms)
  redis.call('HSET', lock, field, 1)
  redis.call('HDEL', lock, old)
  return answer
end

-- The answer to a writer that has no hold yet; nil when it can have one.
local function refusal()
  if count > 1 then
    return mode and '-4' or '-2'
  end
  -- A late copy of an acquisition that was given up or released must not be granted.
  if redis.call('EXISTS', KEYS[2]) == 1 then
    return '-3'
  end
  if ARGV[10] ~= '' then
    if redis.call('HEXISTS', lock, ARGV[10] .. ':write') == 1 then
      return granted_in_place(ARGV[10] .. ':write')
    end
    local is_behind = rw_replace(keys, ARGV[10], holder, tonumber(ARGV[11]), micros)
    freed = freed or is_behind and mode ~= 'write'
  end
  local left_ms, first, window_ms, readers_wait = kept_ms(), nil, nil, nil
  if not left_ms then
    left_ms, first, window_ms, readers_wait = behind_ms()
  end
  local answer = left_ms and waits(left_ms)
  if first then
    told_channel, message = rw_grant(keys, now, first, window_ms, readers_wait)
  end
  return answer
end

local held = tonumber(redis.call('HGET', lock, field) or 0)
local answer = held == 0 and refusal() or granted(held)
if message then
  return notify(answer, ARGV[7], told_channel, message)
elseif freed then
  return notify(answer, ARGV[7], ARGV[8], '0')
end
return answer
