-- rwlock/release-read: state how many of a reader's holds are still alive; the last reader that
-- leaves frees the lock.
--
-- A lock that is free then goes to the first writer that can take it, unless a reader has waited for
-- longer, or it is time to free it openly. With `tombstone_ms` it also sets a tombstone for the holder id:
-- no later copy of its acquisition is granted.
--
-- KEYS[1] lock         hash     mode, and holder -> number of holds; its TTL is the longest lease
-- KEYS[2] tombstone    string   private: the tombstone of this holder id; lives for tombstone_ms
-- KEYS[3] readers      zset     private: our readers -> end of their lease; its TTL is the lock's
-- KEYS[4] writers      zset     private: waiting writer -> since when; lives 10 minutes
-- KEYS[5] waiting      zset     private: client whose readers wait -> since when; lives 10 minutes
-- KEYS[6] heartbeats   zset     private: client or writer -> its last heartbeat; lives 10 minutes
-- KEYS[7] tickets      hash     private: waiting writer -> when it was last heard of, its window, flags
-- KEYS[*] holds        string   the first hold key, and those of the holds that are over; then the tombstone
--                               and the hold key of each of `others`
-- ARGV[1] holder       string   the holder id that releases
-- ARGV[2] count        integer  its holds that are still alive, re-entries under way included
-- ARGV[3] tombstone_ms integer  life of the tombstone; 0 sets none
-- ARGV[4] listens      integer  how many connections of its client listen to the channel of the lock; -1
--                               if the client does not stand back for those who stand in no line
-- ARGV[5] publish      string   PUBLISH or SPUBLISH
-- ARGV[6] channel      string   where waiters of the lock listen
-- ARGV[7] stem         string   what the names of hold keys begin with
-- ARGV[*] others       string   readers of its client that have given up, as it has, and may hold the lock
-- returns integer    1 the lock is free, 0 other holds keep it; -5 it was given to another; -6 it is free,
--                    and writers in the line stand back for STAND_BACK_MS; when the holder did not hold it:
--                    -1 it is held by a writer, -2 it is not

-- at maxmemory: carried out
-- include lib/needs_no_memory
-- include lib/notify
-- include lib/now_ms
-- include lib/own_channel
-- include lib/rw_first_writer
-- include lib/rw_grant
-- include lib/rw_is_alive
-- include lib/rw_mode
-- include lib/rw_next_writer
-- include lib/rw_readers
-- include lib/rw_turn
-- include lib/rw_untold_writer
local keys = {
  lock = KEYS[1],
  readers = KEYS[3],
  writers = KEYS[4],
  waiting = KEYS[5],
  heartbeats = KEYS[6],
  tickets = KEYS[7],
  publish = ARGV[5],
}
local lock, tombstone, readers = KEYS[1], KEYS[2], KEYS[3]
local holder, count, tombstone_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local first, others_at = 8, #KEYS - 2 * (#ARGV - 7)

if tombstone_ms > 0 then
  needs_no_memory(lock)
  redis.call('SET', tombstone, '1', 'PX', tombstone_ms)
  for i = others_at + 1, #KEYS, 2 do
    redis.call('SET', KEYS[i], '1', 'PX', tombstone_ms)
  end
end
-- The hold keys that go: those of this reader, and one of each other.
local holds = { unpack(KEYS, first, others_at) }
local own = #holds
for i = others_at + 2, #KEYS, 2 do
  holds[#holds + 1] = KEYS[i]
end
-- pcall: what the reader has beside a lock that was overwritten goes all the same.
local mode = redis.pcall('HGET', lock, 'mode')
local is_overwritten = type(mode) == 'table' and string.find(mode.err, 'WRONGTYPE', 1, true)
local ids, now = { holder, select(8, unpack(ARGV)) }, now_ms()
-- Those of them that hold it, with what they have; and whether the lease of one still runs.
local leaving, had, alive = {}, {}, false
for i = 1, is_overwritten and 0 or #ids do
  local held = redis.call('HGET', lock, ids[i])
  if held then
    leaving[#leaving + 1] = ids[i]
    had[#had + 1], had[#had + 2] = ids[i], held
    alive = alive or rw_is_alive(readers, ids[i], holds[i == 1 and 1 or own + i - 1], now)
  end
end
if #leaving == 0 then
  redis.call('ZREM', readers, unpack(ids))
  redis.call('DEL', unpack(holds))
  local found = rw_mode(lock)
  return type(found) == 'table' and found or mode == 'write' and -1 or -2
end
local stays = alive and count > 0

-- The writer that gets the lock, which is free now or about to be, its window, and whether readers wait;
-- and whether the lock is to be freed openly all the same.
local function next_writer()
  local id, window_ms, readers_wait, is_reader_first = nil, nil, nil, false
  if redis.call('EXISTS', keys.writers) == 1 then
    id, window_ms, readers_wait, is_reader_first = rw_next_writer(keys, now)
  end
  if is_reader_first or not alive then
    return id, window_ms, readers_wait, false
  end
  local client = string.sub(holder, 1, CLIENT_ID_LENGTH)
  local is_opened = rw_turn(keys, id ~= nil, client, ARGV[4], ARGV[5], ARGV[6], now)
  return not is_opened and id or nil, window_ms, readers_wait, id and is_opened
end

if not stays and mode == 'read' and redis.call('HLEN', lock) == 1 + #leaving then
  -- The hash holds the mode and these readers only.
  local id, window_ms, readers_wait, is_opened = next_writer()
  if id then
    -- Before the removal: a user who lacks a right changes nothing.
    local channel, message = rw_grant(keys, now, id, window_ms, readers_wait)
    redis.call('HDEL', lock, unpack(leaving))
    redis.call('DEL', unpack(holds))
    return notify(alive and -5 or -1, ARGV[5], channel, message)
  end
  redis.call('DEL', lock, readers, unpack(holds))
  return notify(not alive and -2 or is_opened and -6 or 1, ARGV[5], ARGV[6], '0')
end
if stays then
  needs_no_memory(lock)
  redis.call('HSET', lock, holder, count)
  table.remove(holds, 1)
else
  redis.call('ZREM', readers, unpack(ids))
  redis.call('HDEL', lock, unpack(leaving))
end
local removed = #holds > 0 and redis.pcall('DEL', unpack(holds))
if type(removed) == 'table' then
  redis.call('HSET', lock, unpack(had))
  return removed
end
if stays then
  return 0
end
if mode ~= 'read' then
  return alive and 0 or -2
end
local left_ms = rw_readers(lock, readers, now, ARGV[7])
if not left_ms then
  local id, window_ms, readers_wait, is_opened = next_writer()
  if id then
    return notify(alive and -5 or -1, ARGV[5], rw_grant(keys, now, id, window_ms, readers_wait))
  end
  return notify(not alive and -2 or is_opened and -6 or 1, ARGV[5], ARGV[6], '0')
end
local writer = nil
if redis.call('EXISTS', keys.writers) == 1 then
  -- It may know of a longer lease, and the readers that are left may let theirs run out before it asks again.
  writer = left_ms < ABSENT_MS / 3 and rw_first_writer(keys, now, false)
  writer = writer or rw_untold_writer(keys, now)
end
if writer then
  local channel = own_channel(writer, lock, ARGV[5])
  return notify(alive and 0 or -2, ARGV[5], channel, 'r' .. writer .. ' ' .. lock)
end
return alive and 0 or -2
