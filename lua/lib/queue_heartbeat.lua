-- Records a heartbeat of `member`, which has an entry in some wait queue.
-- include lib/zadd_for
local function queue_heartbeat(heartbeats, member, now)
  zadd_for(heartbeats, QUEUE_TTL_MS, now, member)
end
