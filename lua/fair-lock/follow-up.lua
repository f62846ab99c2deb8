-- fair-lock/follow-up: notify the head of a fair lock's queue again if the lock is still free.
--
-- A release has notified a waiter of another client. It may be absent: absent entries are dropped,
-- and the next live one is notified.
--
-- KEYS[1] lock       hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] queue      list     wait queue: holder ids, the next one first
-- KEYS[3] timeouts   zset     waiting holder -> ms at which Java counts it as absent
-- KEYS[4] heartbeats zset     private: client -> its last heartbeat in this queue
-- ARGV[1] publish    string   PUBLISH or SPUBLISH
-- ARGV[2] channel    string   what the channel of each waiter begins with
-- returns integer    1 a waiter of latchkey was notified, 0 there is nothing to follow up any more

-- include lib/fair_head_to_notify
-- include lib/notify
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
local head, is_ours = fair_head_to_notify(KEYS[2], KEYS[3], KEYS[4])
if not head then
  return 0
end
return notify(is_ours and 1 or 0, ARGV[1], ARGV[2] .. ':' .. head, '0')
