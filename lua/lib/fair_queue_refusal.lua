-- Refuses the queue of a fair lock while a waiter of ours is in it for the lock's twin: the same
-- name with braces around it or without them, to which Redisson gives the same queue.
-- `twin_heartbeats` holds the heartbeats of the twin. Returns nil when nothing is in the way. A
-- name with more than a tag has no twin.
-- include lib/heard_last
local function fair_queue_refusal(lock, queue, now, twin_heartbeats)
  local last = twin_heartbeats and heard_last(twin_heartbeats, now)
  if last and now - last < ABSENT_MS then
    local twin = string.match(lock, '^{(.*)}$') or '{' .. lock .. '}'
    return redis.error_reply('WRONGTYPE the name shares ' .. queue .. ' with ' .. twin)
  end
end
