-- rwlock/acquire-read: admit readers, or say how long each has to wait.
--
-- Readers go in together, unless somebody writes or a live writer has waited longer than they. It
-- states outcomes and counts nothing, so running it twice equals running it once.
--
-- KEYS[1] lock       hash     mode, and reader -> number of holds; its TTL is the longest lease
-- KEYS[2] readers    zset     private: our readers -> end of their lease; its TTL is the lock's
-- KEYS[3] writers    zset     private: waiting writer -> since when; lives 10 minutes
-- KEYS[4] waiting    zset     private: client whose readers wait -> since when; lives 10 minutes
-- KEYS[5] beats      zset     private: who waits -> last sign of life; lives 10 minutes
-- KEYS[*] of_claims  string   for each claim its cancelled key and those of its first and newest hold
-- ARGV[1] client     string   whose readers these are
-- ARGV[2] place      string   line: these are all who wait there, and stand in line since the first of
--                             them; join: others of the client may stand there before them; none:
--                             leaves no trace
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the lock listen
-- ARGV[*] claims     string   for each claim: reader, count, lease in ms, waiting since (0: now),
--                             and the writer that it reads beside ('' for none)
-- returns string     the server's time in microseconds, then for each claim T when taken, else ms
--                    to wait (-1: unknown), -2 a re-entry, or a read beside a writer, whose lock
--                    nobody holds any more, -4 one that somebody else holds, -3 the reader is burnt

-- include lib/line_heartbeat
-- include lib/line_first
-- include lib/rw_keep_holds
-- include lib/needs_memory
-- include lib/rw_mode
-- include lib/rw_sweep
-- include lib/tell
-- include lib/zadd_for
local lock, readers, writers, waiting, beats = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local client = ARGV[1]

local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)
local freed = rw_sweep(lock, readers, now)
local mode = rw_mode(lock)
if type(mode) == 'table' then
  return mode
end
local writer, writer_since, writer_ms
if mode ~= 'write' then
  writer, writer_since, writer_ms = line_first(writers, beats, now)
end

-- Why a reader that is not in yet cannot come in: an integer of the reply, nil when it can.
local function refusal(count, since, writer_beside, cancelled)
  local is_beside = mode == 'write' and redis.call('HEXISTS', lock, writer_beside .. ':write') == 1
  -- Also who came to read beside a writer that is gone: its client knows of no other ground.
  if (count > 1 or writer_beside ~= '') and not is_beside then
    return mode and -4 or -2
  end
  -- A copy of an acquisition that was given up, or released, must not come back as a ghost.
  if redis.call('EXISTS', cancelled) == 1 then
    return -3
  end
  if is_beside then
    return nil
  end
  if mode == 'write' then
    return redis.call('PTTL', lock)
  end
  return writer and writer_since < since and writer_ms or nil
end

if ARGV[2] == 'line' then
  -- A user without the rights to leave the line again is refused here, before anybody gets in.
  needs_memory(waiting)
  redis.call('ZREM', waiting, '')
end
local answers, earliest, key = { string.format('%.0f', micros) }, nil, 6
for i = 5, #ARGV, 5 do
  local reader, count, lease_ms = ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
  local since = tonumber(ARGV[i + 3])
  since = since > 0 and since or micros
  local held = tonumber(redis.call('HGET', lock, reader) or 0)
  local code = held == 0 and refusal(count, since, ARGV[i + 4], KEYS[key]) or nil
  if code then
    answers[#answers + 1] = string.format('%.0f', code)
    if code >= -1 then
      earliest = math.min(earliest or since, since)
    end
  else
    needs_memory(readers)
    if not mode then
      redis.call('UNLINK', readers)
    end
    mode = mode or 'read'
    -- Neither the count nor the lease is ever lowered. The hold itself comes behind what is private,
    -- and only its TTL behind it, which can be set by then.
    local longest_ms = math.max(redis.call('PTTL', lock), lease_ms)
    zadd_for(readers, longest_ms, 'GT', now + lease_ms, reader)
    -- The first one says for all of them how long Redisson takes the reader for alive.
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
  end
  key = key + 3
end

if earliest and ARGV[2] ~= 'none' then
  local before = tonumber(redis.call('ZSCORE', waiting, client) or 0)
  -- The first of them may have left: a writer that stood back for it may go.
  freed = freed or ARGV[2] == 'line' and not mode and before > 0 and before < earliest
  if ARGV[2] == 'line' or before == 0 or before > earliest then
    zadd_for(waiting, LINE_TTL_MS, earliest, client)
  else
    redis.call('PEXPIRE', waiting, LINE_TTL_MS)
  end
  line_heartbeat(beats, client, now)
elseif ARGV[2] == 'line' and redis.call('ZREM', waiting, client) == 1 then
  redis.call('ZREM', beats, client)
end
local answer = table.concat(answers, ' ')
if freed then
  return tell(answer, ARGV[3], ARGV[4], '0')
end
return answer
