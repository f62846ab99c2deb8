-- rwlock/acquire-write: take hold number `count` of the write lock, or say how long to wait.
--
-- A writer that must wait stands in line: readers that come after it wait for it, and it waits for
-- readers that came before it, so that neither starves the other. It states an outcome and counts
-- nothing, so running it twice equals running it once.
--
-- KEYS[1] lock       hash     mode, and holder -> number of holds; its TTL is the longest lease
-- KEYS[2] cancelled  string   private: present while this writer is burnt
-- KEYS[3] readers    zset     private: our readers -> end of their lease; its TTL is the lock's
-- KEYS[4] writers    zset     private: waiting writer -> since when; lives 10 minutes
-- KEYS[5] waiting    zset     private: client whose readers wait -> since when; lives 10 minutes
-- KEYS[6] beats      zset     private: who waits -> last sign of life; lives 10 minutes
-- ARGV[1] holder     string   who asks
-- ARGV[2] count      integer  1 needs the lock free or mine, more needs it mine
-- ARGV[3] lease_ms   integer  lease to have at least, from now
-- ARGV[4] place      string   line: who must wait stands in line for it; none: leaves no trace
-- ARGV[5] publish    string   PUBLISH or SPUBLISH
-- ARGV[6] channel    string   where waiters of the lock listen
-- ARGV[7] stem       string   what the names of hold keys begin with
-- returns integer?   null when taken, else ms to wait (-1: unknown), -2 a re-entry whose lock
--                    nobody holds any more, -4 somebody else does, -3 the holder id is burnt

-- include lib/line_heartbeat
-- include lib/line_first
-- include lib/needs_memory
-- include lib/rw_mode
-- include lib/rw_readers
-- include lib/rw_sweep
-- include lib/tell
-- include lib/lock_write_hold
-- include lib/zadd_for
local lock, cancelled, readers, writers = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local waiting, beats = KEYS[5], KEYS[6]
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

-- How long others still keep the lock, or its turn; nil when they do not.
local function busy()
  if mode == 'write' then
    return redis.call('PTTL', lock)
  end
  local left = mode and rw_readers(lock, readers, now, ARGV[7])
  if left then
    return left
  end
  freed = freed or mode == 'read'
  local reader, since, reader_ms = line_first(waiting, beats, now)
  local mine = redis.call('ZSCORE', writers, holder)
  return reader and since < (tonumber(mine or micros)) and reader_ms or nil
end

-- Why the writer cannot have its hold: an integer of the reply, nil when it can.
local function refusal()
  if count > 1 then
    return mode and -4 or -2
  end
  -- A copy of an acquisition that was given up, or released, must not come back as a ghost.
  if redis.call('EXISTS', cancelled) == 1 then
    return -3
  end
  local ms = busy()
  if ms and ARGV[4] == 'line' then
    zadd_for(writers, LINE_TTL_MS, 'NX', micros, holder)
    line_heartbeat(beats, holder, now)
  end
  return ms
end

local held = tonumber(redis.call('HGET', lock, field) or 0)
local code = held == 0 and refusal() or nil
if not code then
  needs_memory(readers)
  if redis.call('ZREM', writers, holder) == 1 then
    redis.call('ZREM', beats, holder)
  end
  if held > 0 then
    lock_write_hold(lock, field, held, count, lease_ms)
  else
    redis.call('UNLINK', readers)
    -- First the TTL, though there is no lock to set it for: whoever may not set it gets nothing.
    redis.call('PEXPIRE', lock, lease_ms)
    redis.call('HSET', lock, 'mode', 'write', field, count)
    redis.call('PEXPIRE', lock, lease_ms)
  end
end
if freed then
  return tell(code, ARGV[5], ARGV[6], '0')
end
return code
