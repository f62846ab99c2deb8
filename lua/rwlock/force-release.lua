-- rwlock/force-release: free a read-write lock whoever holds it in one mode, at most once per
-- request.
--
-- The first writer that can take it gets it then, unless a reader has waited for longer.
--
-- KEYS[1] lock         hash     mode, and holder -> number of holds; its TTL is the longest lease
-- KEYS[2] requests     zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[3] readers      zset     private: our readers -> end of their lease; its TTL is the lock's
-- KEYS[4] writers      zset     private: waiting writer -> since when; lives 10 minutes
-- KEYS[5] waiting      zset     private: client whose readers wait -> since when; lives 10 minutes
-- KEYS[6] heartbeats   zset     private: client or writer -> its last heartbeat; lives 10 minutes
-- KEYS[7] tickets      hash     private: waiting writer -> when it was last heard of, its window, flags
-- ARGV[1] number       integer  number of the request
-- ARGV[2] low_water    integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] mode         string   the mode to end: read or write
-- ARGV[4] publish      string   PUBLISH or SPUBLISH
-- ARGV[5] channel      string   where waiters of the lock listen
-- ARGV[6] stem         string   what the names of hold keys begin with
-- ARGV[7] tombstones   string   what the names of tombstones begin with
-- ARGV[8] tombstone_ms integer  life of a tombstone
-- ARGV[9] until_ms     integer  when it may be run no more, by the clock of the server; 0: at any time
-- returns string     1 it was held in this mode, 0 it was not; or why the request did not run

-- at maxmemory: carried out
-- include lib/request_keep_record
-- include lib/request_record
-- include lib/now_ms
-- include lib/rw_mode
-- include lib/rw_grant
-- include lib/rw_next_writer
-- include lib/rw_sweep
-- include lib/notify_ended
-- include lib/clients_of_holders
-- include lib/tombstones_set

-- at most once: requests, number, until_ms
local keys = {
  lock = KEYS[1],
  readers = KEYS[3],
  writers = KEYS[4],
  waiting = KEYS[5],
  heartbeats = KEYS[6],
  tickets = KEYS[7],
  publish = ARGV[4],
}
local lock, readers, now = KEYS[1], KEYS[3], now_ms()
request_keep_record(requests, ARGV[2])
local mode = rw_mode(lock)
if type(mode) == 'table' then
  return mode
end
local freed = rw_sweep(lock, readers, now)
mode = not freed and mode
local is_held, clients = mode == ARGV[3], {}
local id, window_ms, readers_wait = nil, nil, nil
if (is_held or freed) and redis.call('EXISTS', keys.writers) == 1 then
  id, window_ms, readers_wait = rw_next_writer(keys, now)
end
if is_held then
  -- At most 500 hold keys are removed; the others end with their leases.
  local fields, hold_keys = tombstones_set(lock, ARGV[7], ARGV[8]), {}
  clients = clients_of_holders(fields)
  for i = 1, #fields, 2 do
    local stem = ARGV[6] .. fields[i] .. ':rwlock_timeout:'
    for hold = 1, math.min(tonumber(fields[i + 1]) or 0, 100, 500 - #hold_keys) do
      hold_keys[#hold_keys + 1] = stem .. hold
    end
  end
  if id then
    -- These change nothing that is to stay: a user who may not give the lock to a writer may not free it
    -- either.
    redis.call('HSET', lock, 'mode', mode)
    redis.call('ZREM', keys.writers, '')
    redis.call('HDEL', keys.tickets, '')
    redis.call('DEL', readers)
  end
  -- UNLINK frees the memory in the background: a lock may have any number of readers.
  redis.call('UNLINK', lock, readers, unpack(hold_keys))
end
local answer = request_record(requests, number, is_held and '1' or '0')
local own = string.sub(requests, -CLIENT_ID_LENGTH)
if id then
  local channel, message = rw_grant(keys, now, id, window_ms, readers_wait)
  return notify_ended(answer, lock, clients, own, ARGV[4], channel, message)
end
local payload = (is_held or freed) and (mode == 'write' and '1' or '0')
return notify_ended(answer, lock, clients, own, ARGV[4], ARGV[5], payload)
