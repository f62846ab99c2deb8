-- fair-lock/follow-up: serve the queue of a fair lock again if the lock is still free.
--
-- A release has notified a waiter of another client. It may be absent: absent entries are dropped,
-- and the next live one gets the lock, or is notified.
--
-- KEYS[1] lock       hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] queue      list     wait queue: holder ids, the next one first
-- KEYS[3] timeouts   zset     waiting holder -> ms at which Java counts it as absent
-- KEYS[4] heartbeats zset     private: client -> its last heartbeat in this queue
-- KEYS[5] tickets    hash     private: waiting holder -> its window, whether its client was seen
-- ARGV[1] publish    string   PUBLISH or SPUBLISH
-- ARGV[2] channel    string   what the channel of each waiter begins with
-- returns integer    1 a waiter of redlatch was notified, 0 there is nothing to follow up any more

-- at maxmemory: carried out
-- include lib/fair_serve
-- include lib/notify
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
local told = fair_serve(KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], ARGV[1], ARGV[2])
if not told then
  return 0
elseif told.is_unfinished then
  return 1
end
return notify(told.client and 1 or 0, told.command, told.channel, told.payload)
