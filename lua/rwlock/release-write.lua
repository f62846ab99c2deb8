-- rwlock/release-write: state how many of a writer's holds are still alive; at none the lock is
-- free, or goes on in read mode for the readers that the writer has (downgrade). A writer that
-- waits leaves the wait queue.
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
-- ARGV[1] holder       string   the holder id that releases
-- ARGV[2] count        integer  its holds that are still alive, re-entries under way included
-- ARGV[3] tombstone_ms integer  life of the tombstone; 0 sets none
-- ARGV[4] listens      integer  how many connections of its client listen to the channel of the lock; -1
--                               if the client does not stand back for those who stand in no line
-- ARGV[5] publish      string   PUBLISH or SPUBLISH
-- ARGV[6] channel      string   where waiters of the lock listen
-- ARGV[7] stem         string   what the names of hold keys begin with
-- returns integer    1 nobody writes any more, 0 other holds keep the lock; -5 it was given to another;
--                    -6 it is free, and writers in the line stand back for STAND_BACK_MS; when the holder
--                    did not hold it: -1 it is held by another, -2 it is free

-- at maxmemory: carried out
-- include lib/needs_no_memory
-- include lib/notify
-- include lib/now_ms
-- include lib/own_channel
-- include lib/own_listeners
-- include lib/rw_first_writer
-- include lib/rw_grant
-- include lib/rw_leave_line
-- include lib/rw_mode
-- include lib/rw_next_writer
-- include lib/rw_owner
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
local lock, holder, count, tombstone_ms = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local field, client = holder .. ':write', string.sub(holder, 1, CLIENT_ID_LENGTH)

if tombstone_ms > 0 then
  needs_no_memory(lock)
  redis.call('SET', KEYS[2], '1', 'PX', tombstone_ms)
end

local is_held = redis.call('HEXISTS', lock, field) == 1
local stood = not is_held and rw_leave_line(keys, holder)
if not is_held and redis.call('EXISTS', lock) == 1 then
  local mode = rw_mode(lock)
  if type(mode) == 'table' then
    return mode
  elseif mode ~= 'write' then
    -- Readers that waited for this writer may get in.
    if stood then
      return notify(-1, ARGV[5], ARGV[6], '1')
    end
    local untold = rw_untold_writer(keys, now_ms())
    if not untold then
      return -1
    end
    return notify(-1, ARGV[5], own_channel(untold, lock, ARGV[5]), 'r' .. untold .. ' ' .. lock)
  end
  local head, owner = rw_first_writer(keys, now_ms(), true), rw_owner(lock)
  if not head or owner and own_listeners(owner, lock, ARGV[5]) > 0 then
    return -1
  end
  -- Its release will serve no line: the first one there has to know.
  return notify(-1, ARGV[5], own_channel(head, lock, ARGV[5]), 'r' .. head .. ' ' .. lock)
end
if is_held and count > 0 then
  needs_no_memory(lock)
  redis.call('HSET', lock, field, count)
  return 0
end
if is_held and redis.call('HLEN', lock) > 2 then
  needs_no_memory(lock)
  redis.call('HSET', lock, 'mode', 'read')
  local removed = redis.pcall('HDEL', lock, field)
  if type(removed) == 'table' then
    redis.call('HSET', lock, 'mode', 'write')
    return removed
  end
  if rw_readers(lock, keys.readers, now_ms(), ARGV[7]) then
    -- Waiters are notified after a downgrade as well: every reader that waits can get in now.
    return notify(1, ARGV[5], ARGV[6], '1')
  end
  -- The leases of the writer's own readers had ended before.
end
local now, id, window_ms, readers_wait, is_reader_first, is_opened =
  nil, nil, nil, nil, false, false
if redis.call('EXISTS', keys.writers) == 1 then
  now = now_ms()
  id, window_ms, readers_wait, is_reader_first = rw_next_writer(keys, now)
end
if is_held and not is_reader_first then
  is_opened = rw_turn(keys, id ~= nil, client, ARGV[4], ARGV[5], ARGV[6], now)
end
if id and not is_opened then
  -- Before the removal: a user who lacks a right changes nothing.
  local channel, message = rw_grant(keys, now, id, window_ms, readers_wait)
  redis.call('HDEL', lock, field)
  return notify(is_held and -5 or -1, ARGV[5], channel, message)
end
redis.call('DEL', lock)
if is_held then
  return notify(id and -6 or 1, ARGV[5], ARGV[6], '1')
end
if stood then
  return notify(-2, ARGV[5], ARGV[6], '1')
end
return -2
