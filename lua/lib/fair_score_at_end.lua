-- Returns the score of a new entry at the end of a fair lock's queue, which has `length` entries.
-- `counted`: what fair_score_queue has returned in this call, if it ran.
-- include lib/fair_score_queue
-- include lib/heard_at
local function fair_score_at_end(queue, timeouts, heartbeats, holder, length, counted, now)
  local least = now + SCORE_AHEAD_MS
  if length >= 100 then
    return least + PATIENCE_MS * length
  end
  local last = redis.call('LINDEX', queue, -1)
  local score = last and redis.call('ZSCORE', timeouts, last)
  local heartbeat = last and heard_at(heartbeats, string.sub(last, 1, CLIENT_ID_LENGTH), now)
  if score and heartbeat and now - heartbeat < FRESH_MS then
    -- The same Java waiters are before both entries.
    return math.max(least, score)
  end
  return counted or (fair_score_queue(queue, timeouts, heartbeats, holder, now))
end
