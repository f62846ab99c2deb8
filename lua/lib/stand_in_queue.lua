-- Puts `holder` at the end of a fair lock's queue, or to its front, or notes that it still stands
-- there; `ready_at` is when the lock is free at the latest.
-- Each acquisition of a Java waiter ahead shifts all scores by its patience, 300 s, and its next
-- call evicts a head whose score has passed. So a score covers 300 s for each entry ahead and its
-- own, and no more: it must not grow with every entry that was ever behind another.
-- Queue and scores belong to Java, which gives them no TTL. They get one for as long as one of ours
-- stands there and is heard of: 10 minutes longer than the last score.
local function stand_in_queue(queue, timeouts, beats, holder, to_front, ready_at, now)
  local length = redis.call('LLEN', queue)
  local score = redis.call('ZSCORE', timeouts, holder)
  local ahead = redis.call('LPOS', queue, holder, 'MAXLEN', 100)
  if not ahead and length > 100 then
    -- Queue and scores tell of the same entries, unless a part of them was lost.
    if length ~= redis.call('ZCARD', timeouts) then
      ahead = redis.call('LPOS', queue, holder)
    elseif score then
      ahead = 100
    end
  end
  local last = redis.call('LINDEX', queue, -1)
  local last_score = last and redis.call('ZSCORE', timeouts, last)
  if ahead then
    local enough = ready_at + 300000 * (math.min(ahead, 100) + 1)
    if not score or tonumber(score) < enough - 150000 then
      redis.call('ZADD', timeouts, enough, holder)
    end
  elseif to_front then
    redis.call('ZADD', timeouts, ready_at + 300000, holder)
    redis.call('LPUSH', queue, holder)
  else
    local enough = ready_at + 300000 * (length + 1)
    if last_score then
      enough = math.max(math.min(enough, last_score + 300000), ready_at + 300000)
    end
    redis.call('ZADD', timeouts, enough, holder)
    redis.call('RPUSH', queue, holder)
    last_score = enough
    redis.call('ZREMRANGEBYSCORE', beats, 0, now - 86400000)
  end
  redis.call('ZADD', beats, now, string.sub(holder, 1, 36))
  local ttl = math.max(tonumber(last_score or 0) - now, 0) + 600000
  redis.call('PEXPIRE', queue, ttl)
  redis.call('PEXPIRE', timeouts, ttl)
  redis.call('PEXPIRE', beats, ttl)
end
