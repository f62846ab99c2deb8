-- rwlock/acquire-read: admit readers, or say how long each has to wait.
--
-- Readers get in together, unless the lock is held by a writer or a live writer has waited for
-- longer; a lock that is found free goes to that one. It states outcomes and counts nothing, so running
-- it twice equals running it once.
--
-- KEYS[1] lock       hash     mode, and reader -> number of holds; its TTL is the longest lease
-- KEYS[2] readers    zset     private: our readers -> end of their lease; its TTL is the lock's
-- KEYS[3] writers    zset     private: waiting writer -> since when; lives 10 minutes
-- KEYS[4] waiting    zset     private: client whose readers wait -> since when; lives 10 minutes
-- KEYS[5] heartbeats zset     private: client or writer -> its last heartbeat; lives 10 minutes
-- KEYS[6] tickets    hash     private: waiting writer -> when it was last heard of, its window, flags
-- KEYS[*] of_claims  string   for each claim its tombstone, and its first and newest hold key
-- ARGV[1] client     string   the client of these readers
-- ARGV[2] position   string   queue: these are all readers of the client that wait; its entry dates
--                             from the first of them; join: other readers of the client may wait as
--                             well, and its entry is never moved back; none: no entry is made
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the lock listen
-- ARGV[5] rest       integer  queue: since when the first of its readers waits that are not among these,
--                             in microseconds; 0: there are none, or it is not known
-- ARGV[*] claims     string   for each claim: reader, count, lease in ms, waiting since (0: now),
--                             and the writer that it reads beside ('' for none)
-- returns string     since when new readers wait, in microseconds, then for each claim: T when granted, else
--                    ms to wait (-1: unknown), -2 a re-entry, or a read beside a writer, in a lock
--                    that is free by now, -4 the same in a lock held by another, -3 the reader has
--                    a tombstone

-- include lib/ahead_ms
-- include lib/ends_score
-- include lib/queue_heartbeat
-- include lib/rank_new
-- include lib/rw_before
-- include lib/rw_keep_holds
-- include lib/needs_memory
-- include lib/rw_first_writer
-- include lib/rw_mode
-- include lib/rw_owner
-- include lib/rw_serve
-- include lib/rw_stops_waiting
-- include lib/rw_sweep
-- include lib/notify
-- include lib/own_channel
-- include lib/own_listeners
-- include lib/zadd_for
local lock, readers, waiting, heartbeats = KEYS[1], KEYS[2], KEYS[4], KEYS[5]
local keys = {
  lock = lock,
  readers = readers,
  writers = KEYS[3],
  waiting = waiting,
  heartbeats = heartbeats,
  tickets = KEYS[6],
  publish = ARGV[3],
}
local client = ARGV[1]

local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)
local mode = rw_mode(lock)
if type(mode) == 'table' then
  return mode
end
local freed = rw_sweep(lock, readers, now)
mode = not freed and mode
local writer, writer_since, writer_ms
if mode ~= 'write' then
  writer, writer_since, writer_ms = rw_first_writer(keys, now, false)
end

local new_since, is_short = nil, false

local before_since = 0

-- Since when a reader waits: a new one since now, and behind all that wait. What its client says is
-- bounded: it asked no later than now, and no earlier than the reader before it.
local function waits_since(since)
  if since > micros or since == 0 then
    new_since = new_since or rank_new(micros, keys.writers, waiting)
  end
  since = since == 0 and new_since or math.min(since, new_since or since)
  before_since = math.max(since, before_since)
  return before_since
end

local has_writers = nil

-- In how many ms a reader has to ask again. Most wait for no writer, which is looked up once for all claims.
local function again_ms(left_ms, since)
  if has_writers == nil then
    has_writers = redis.call('EXISTS', keys.writers) == 1
  end
  return ahead_ms(left_ms, has_writers and rw_before(keys, waits_since(since)) or nil)
end

-- Why a reader without a hold cannot get one: an integer of the reply, nil when it can.
local function refusal(count, since, writer_beside, tombstone)
  local is_beside = mode == 'write' and redis.call('HEXISTS', lock, writer_beside .. ':write') == 1
  -- A reader that is to read beside a writer is refused as well when that writer is gone: its
  -- client relies on the hold of the writer.
  if (count > 1 or writer_beside ~= '') and not is_beside then
    return mode and -4 or -2
  end
  -- A late copy of an acquisition that was given up or released must not be granted.
  if redis.call('EXISTS', tombstone) == 1 then
    return -3
  end
  if is_beside then
    return nil
  end
  if mode == 'write' then
    return again_ms(redis.call('PTTL', lock), since)
  end
  local is_behind = writer and writer_since < waits_since(since)
  return is_behind and again_ms(writer_ms, since) or nil
end

if ARGV[2] ~= 'none' then
  -- These fail where the keys hold something else, before any reader gets in.
  redis.call('ZCARD', waiting)
  redis.call('ZCARD', heartbeats)
end
if ARGV[2] == 'queue' then
  -- A user without the right to leave the wait queue is refused here, before any reader gets in.
  needs_memory(waiting)
  redis.call('ZREM', waiting, '')
end
local answers, earliest, key = {}, nil, 7
for i = 6, #ARGV, 5 do
  local reader, count, lease_ms = ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
  local since = tonumber(ARGV[i + 3])
  local held = tonumber(redis.call('HGET', lock, reader) or 0)
  local code = held == 0 and refusal(count, since, ARGV[i + 4], KEYS[key]) or nil
  if code then
    answers[#answers + 1] = string.format('%.0f', code)
    if code >= -1 then
      since = waits_since(since)
      earliest = math.min(earliest or since, since)
    end
  else
    needs_memory(readers)
    if not mode then
      redis.call('UNLINK', readers)
    end
    mode = mode or 'read'
    -- Neither the count nor the lease is ever lowered. The private keys are written before the
    -- hold, and the TTL of the lock after it: by then it is known that a TTL can be set.
    local longest_ms = math.max(redis.call('PTTL', lock), lease_ms)
    zadd_for(readers, longest_ms, 'GT', ends_score(now, lease_ms), reader)
    -- The first hold key tells Redisson, for all holds, how long the reader is alive.
    local made = rw_keep_holds(KEYS, key + 1, key + 2, lease_ms)
    local written = redis.pcall('HSET', lock, 'mode', mode, reader, math.max(held, count))
    if type(written) == 'table' then
      for _, hold in ipairs(made) do
        redis.call('PEXPIRE', hold, 0)
      end
      return written
    end
    redis.call('PEXPIRE', lock, longest_ms)
    answers[#answers + 1] = 'T'
    is_short = is_short or lease_ms < ABSENT_MS / 3
  end
  key = key + 3
end

local rest = tonumber(ARGV[5])
if rest > 0 then
  rest = waits_since(rest)
  earliest = math.min(earliest or rest, rest)
end
local owner = nil
if earliest and ARGV[2] ~= 'none' then
  local before = tonumber(redis.call('ZSCORE', waiting, client) or 0)
  -- The first reader may have left: a writer that waited for it may get the lock now.
  freed = freed or ARGV[2] == 'queue' and not mode and before > 0 and before < earliest
  if ARGV[2] == 'queue' or before == 0 or before > earliest then
    zadd_for(waiting, QUEUE_TTL_MS, earliest, client)
  else
    redis.call('PEXPIRE', waiting, QUEUE_TTL_MS)
  end
  queue_heartbeat(heartbeats, client, now)
  if before == 0 then
    redis.call('HDEL', keys.tickets, client)
    owner = mode == 'write' and rw_owner(lock)
  end
elseif ARGV[2] == 'queue' then
  rw_stops_waiting(keys, client, now)
end
table.insert(answers, 1, string.format('%.0f', new_since or micros))
local answer = table.concat(answers, ' ')
if owner and own_listeners(owner, lock, ARGV[3]) > 0 then
  -- Its client may be passing the lock on inside itself, and has to end that.
  local channel = own_channel(owner, lock, ARGV[3])
  local letter = string.sub(owner, 1, CLIENT_ID_LENGTH) == client and 'n' or 'o'
  return notify(answer, ARGV[3], channel, letter .. owner .. ' ' .. lock)
end
local channel, message = nil, nil
if not mode then
  channel, message = rw_serve(keys, now)
end
if channel then
  return notify(answer, ARGV[3], channel, message)
elseif freed then
  return notify(answer, ARGV[3], ARGV[4], '0')
elseif is_short and writer then
  -- These readers may let their leases run out before that writer asks again.
  return notify(answer, ARGV[3], own_channel(writer, lock, ARGV[3]), 'r' .. writer .. ' ' .. lock)
end
return answer
