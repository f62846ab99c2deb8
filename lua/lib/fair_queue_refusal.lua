-- Refuses the queue of a fair lock while a waiter of ours is in it for the lock's twin: the same
-- name with braces around it or without them, to which Redisson gives the same queue.
-- `twin_heartbeats` holds the heartbeats of the twin. Returns nil when nothing is in the way. A
-- name with more than a tag has no twin.
local function fair_queue_refusal(lock, queue, now, twin_heartbeats)
  local last = twin_heartbeats and redis.call('ZREVRANGE', twin_heartbeats, 0, 0, 'WITHSCORES')
  if last and last[2] and now - last[2] < ABSENT_MS then
    local twin = string.match(lock, '^{(.*)}$') or '{' .. lock .. '}'
    return redis.error_reply('WRONGTYPE the name shares ' .. queue .. ' with ' .. twin)
  end
end
