-- rwlock/leave-queue: take a client, whose readers have all stopped waiting, out of the wait queue.
--
-- A lock that is free then goes to the first writer that can take it, or those that wait for its readers
-- are notified.
--
-- KEYS[1] lock       hash     mode, and holder -> number of holds; its TTL is the longest lease
-- KEYS[2] readers    zset     private: our readers -> end of their lease; its TTL is the lock's
-- KEYS[3] writers    zset     private: waiting writer -> since when; lives 10 minutes
-- KEYS[4] waiting    zset     private: client whose readers wait -> since when; lives 10 minutes
-- KEYS[5] heartbeats zset     private: client or writer -> its last heartbeat; lives 10 minutes
-- KEYS[6] tickets    hash     private: waiting writer -> when it was last heard of, its window, flags
-- ARGV[1] client     string   the client that leaves the wait queue
-- ARGV[2] publish    string   PUBLISH or SPUBLISH
-- ARGV[3] channel    string   where waiters of the lock listen
-- returns integer    1 the client had an entry in the wait queue, 0 it had none

-- at maxmemory: carried out
-- include lib/notify
-- include lib/now_ms
-- include lib/rw_serve
-- include lib/rw_stops_waiting
local keys = {
  lock = KEYS[1],
  readers = KEYS[2],
  writers = KEYS[3],
  waiting = KEYS[4],
  heartbeats = KEYS[5],
  tickets = KEYS[6],
  publish = ARGV[2],
}
local is_free = redis.call('EXISTS', keys.lock) == 0
local now = now_ms()
if not rw_stops_waiting(keys, ARGV[1], now) then
  return 0
end
if not is_free then
  return 1
end
local channel, message = rw_serve(keys, now)
if channel then
  return notify(1, ARGV[2], channel, message)
end
return notify(1, ARGV[2], ARGV[3], '0')
