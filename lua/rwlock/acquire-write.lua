-- rwlock/acquire-write: take hold number `count` of the write lock, or say how long to wait.
--
-- A writer that must wait has an entry in the wait queue: readers that come later wait for it, and
-- it waits for readers that came earlier, so that neither starves the other. It states an outcome
-- and counts nothing, so running it twice equals running it once.
--
-- KEYS[1] lock       hash     mode, and holder -> number of holds; its TTL is the longest lease
-- KEYS[2] tombstone  string   private: exists while this writer has a tombstone
-- KEYS[3] readers    zset     private: our readers -> end of their lease; its TTL is the lock's
-- KEYS[4] writers    zset     private: waiting writer -> since when; lives 10 minutes
-- KEYS[5] waiting    zset     private: client whose readers wait -> since when; lives 10 minutes
-- KEYS[6] heartbeats zset     private: client or writer -> its last heartbeat; lives 10 minutes
-- ARGV[1] holder     string   the holder id that asks
-- ARGV[2] count      integer  1 if the lock may be free, more if the holder must hold it already
-- ARGV[3] lease_ms   integer  the least lease to have from now on
-- ARGV[4] position   string   queue: a writer that must wait gets an entry in the wait queue; none:
--                             no entry is made
-- ARGV[5] publish    string   PUBLISH or SPUBLISH
-- ARGV[6] channel    string   where waiters of the lock listen
-- ARGV[7] stem       string   what the names of hold keys begin with
-- returns integer?   null when granted, else ms to wait (-1: unknown), -2 a re-entry into a lock
--                    that is free by now, -4 a re-entry into a lock held by another, -3 the holder
--                    id has a tombstone

-- include lib/queue_heartbeat
-- include lib/queue_first
-- include lib/needs_memory
-- include lib/rw_mode
-- include lib/rw_readers
-- include lib/rw_sweep
-- include lib/notify
-- include lib/lock_write_hold
-- include lib/zadd_for
local lock, tombstone, readers, writers = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local waiting, heartbeats = KEYS[5], KEYS[6]
local holder, count, lease_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local field = holder .. ':write'

local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)
local freed = rw_sweep(lock, readers, now)
local mode = rw_mode(lock)
if type(mode) == 'table' then
  return mode
end

-- For how many ms others hold the lock or come first; nil when they do not.
local function busy()
  if mode == 'write' then
    return redis.call('PTTL', lock)
  end
  local left = mode and rw_readers(lock, readers, now, ARGV[7])
  if left then
    return left
  end
  freed = freed or mode == 'read'
  local reader, since, reader_ms = queue_first(waiting, heartbeats, now)
  local own_since = redis.call('ZSCORE', writers, holder)
  return reader and since < (tonumber(own_since or micros)) and reader_ms or nil
end

-- Why the writer cannot have its hold: an integer of the reply, nil when it can.
local function refusal()
  if count > 1 then
    return mode and -4 or -2
  end
  -- A late copy of an acquisition that was given up or released must not be granted.
  if redis.call('EXISTS', tombstone) == 1 then
    return -3
  end
  local ms = busy()
  if ms and ARGV[4] == 'queue' then
    zadd_for(writers, QUEUE_TTL_MS, 'NX', micros, holder)
    queue_heartbeat(heartbeats, holder, now)
  end
  return ms
end

local held = tonumber(redis.call('HGET', lock, field) or 0)
local code = held == 0 and refusal() or nil
if not code then
  needs_memory(readers)
  if redis.call('ZREM', writers, holder) == 1 then
    redis.call('ZREM', heartbeats, holder)
  end
  if held > 0 then
    lock_write_hold(lock, field, held, count, lease_ms)
  else
    redis.call('UNLINK', readers)
    -- The TTL comes first, though there is no key to set it on: a user who may not set it gets
    -- nothing.
    redis.call('PEXPIRE', lock, lease_ms)
    redis.call('HSET', lock, 'mode', 'write', field, count)
    redis.call('PEXPIRE', lock, lease_ms)
  end
end
if freed then
  return notify(code, ARGV[5], ARGV[6], '0')
end
return code
