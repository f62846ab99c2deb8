-- Returns what ZADD needs to move the Java waiters right behind `holder`, which is at the index `at` of a fair
-- lock's queue and leaves it, to the entry before it: each of them keeps its own patience. One that becomes
-- the head has its patience from now on.
local function fair_close_up(queue, timeouts, heartbeats, holder, at, now)
  local scores = {}
  local function is_java(member)
    return member
      and redis.call('ZSCORE', heartbeats, string.sub(member, 1, CLIENT_ID_LENGTH)) == false
  end
  local score = redis.call('ZSCORE', timeouts, holder)
  if not score or not is_java(redis.call('LINDEX', queue, at + 1)) then
    return scores
  end
  local before = at > 0 and redis.call('ZSCORE', timeouts, redis.call('LINDEX', queue, at - 1))
  local moved = (before or now) - score
  for _, member in ipairs(redis.call('LRANGE', queue, at + 1, at + 100)) do
    if not is_java(member) then
      break
    end
    local own = redis.call('ZSCORE', timeouts, member)
    if own then
      scores[#scores + 1] = own + moved
      scores[#scores + 1] = member
    end
  end
  return scores
end
