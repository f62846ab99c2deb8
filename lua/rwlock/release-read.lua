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
-- KEYS[*] holds        string   the first hold key, and those of the holds that are over
-- ARGV[1] holder       string   the holder id that releases
-- ARGV[2] count        integer  its holds that are still alive, re-entries under way included
-- ARGV[3] tombstone_ms integer  life of the tombstone; 0 sets none
-- ARGV[4] listens      integer  how many connections of its client listen to the channel of the lock; -1
--                               if the client does not stand back for those who stand in no line
-- ARGV[5] publish      string   PUBLISH or SPUBLISH
-- ARGV[6] channel      string   where waiters of the lock listen
-- ARGV[7] stem         string   what the names of hold keys begin with
-- returns integer    1 the lock is free, 0 other holds keep it; -5 it was given to another; -6 it is free,
--                    and writers in the line stand back for STAND_BACK_MS; when the holder did not hold it:
--                    -1 it is held by a writer, -2 it is not

-- at maxmemory: carried out
-- include lib/needs_no_memory
-- include lib/notify
-- include lib/now_ms
-- include lib/own_channel
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
local first = 8

if tombstone_ms > 0 then
  needs_no_memory(lock)
  redis.call('SET', tombstone, '1', 'PX', tombstone_ms)
end
-- pcall: what the reader has beside a lock that was overwritten goes all the same.
local mode = redis.pcall('HGET', lock, 'mode')
local is_overwritten = type(mode) == 'table' and string.find(mode.err, 'WRONGTYPE', 1, true)
local held = not is_overwritten and redis.call('HGET', lock, holder)
if not held then
  redis.call('ZREM', readers, holder)
  redis.call('DEL', unpack(KEYS, first))
  local found = rw_mode(lock)
  return type(found) == 'table' and found or mode == 'write' and -1 or -2
end
local now = now_ms()
local alive = rw_is_alive(readers, holder, KEYS[first], now)
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

if not stays and mode == 'read' and redis.call('HLEN', lock) == 2 then
  -- The hash holds the mode and this reader only.
  local id, window_ms, readers_wait, is_opened = next_writer()
  if id then
    -- Before the removal: a user who lacks a right changes nothing.
    local channel, message = rw_grant(keys, now, id, window_ms, readers_wait)
    redis.call('HDEL', lock, holder)
    redis.call('DEL', unpack(KEYS, first))
    return notify(alive and -5 or -1, ARGV[5], channel, message)
  end
  redis.call('DEL', lock, readers, unpack(KEYS, first))
  return notify(not alive and -2 or is_opened and -6 or 1, ARGV[5], ARGV[6], '0')
end
if stays then
  needs_no_memory(lock)
  redis.call('HSET', lock, holder, count)
  first = first + 1
else
  redis.call('ZREM', readers, holder)
  redis.call('HDEL', lock, holder)
end
local removed = first <= #KEYS and redis.pcall('DEL', unpack(KEYS, first))
if type(removed) == 'table' then
  redis.call('HSET', lock, holder, held)
  return removed
end
if stays then
  return 0
end
if mode ~= 'read' then
  return alive and 0 or -2
end
if not rw_readers(lock, readers, now, ARGV[7]) then
  local id, window_ms, readers_wait, is_opened = next_writer()
  if id then
    return notify(alive and -5 or -1, ARGV[5], rw_grant(keys, now, id, window_ms, readers_wait))
  end
  return notify(not alive and -2 or is_opened and -6 or 1, ARGV[5], ARGV[6], '0')
end
local untold = redis.call('EXISTS', keys.writers) == 1 and rw_untold_writer(keys, now)
if untold then
  local channel = own_channel(untold, lock, ARGV[5])
  return notify(alive and 0 or -2, ARGV[5], channel, 'r' .. untold .. ' ' .. lock)
end
return alive and 0 or -2
