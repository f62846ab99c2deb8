-- fair-lock/follow-up: a waiter of another client was told that a fair lock is free; if nobody has
-- taken it since, tell the head of the queue again, past those who are silent.
--
-- KEYS[1] lock       hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] queue      list     waiting holders, the next one first
-- KEYS[3] timeouts   zset     waiting holder -> instant in ms at which Java counts it as absent
-- KEYS[4] beats      zset     private: client -> instant in ms at which it last stood in the queue
-- ARGV[1] publish    string   PUBLISH or SPUBLISH
-- ARGV[2] channel    string   what the channel of each waiter begins with
-- returns integer    1 one of ours was told, 0 there is nothing to follow up any more

-- include lib/fair_head_to_tell
-- include lib/tell
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
local head, is_ours = fair_head_to_tell(KEYS[2], KEYS[3], KEYS[4])
if not head then
  return 0
end
return tell(is_ours and 1 or 0, ARGV[1], ARGV[2] .. ':' .. head, '0')
