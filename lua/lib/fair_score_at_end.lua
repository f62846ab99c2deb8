-- Returns the score of a new entry at the end of a fair lock's queue, which has `length` entries, at the
-- last heartbeat of its client, `heard`. `counted`: what fair_score_queue has returned in this call, if it ran.
--
--   behind                        score
--   an entry of ours              as far ahead as that one: both are behind the same of Java's
--   any other entry, or none      by the Java waiters before it: fair_score_queue, or its score where there
--                                 are too many before it
--   100 entries or more           and not less than 300 s ahead: nobody renews it there
-- include lib/fair_score_queue
-- include lib/heard_at
local function fair_score_at_end(queue, timeouts, heartbeats, holder, length, counted, heard, now)
  local least = now + SCORE_AHEAD_MS
  local last = redis.call('LINDEX', queue, -1)
  local score = last and redis.call('ZSCORE', timeouts, last)
  local last_heard = last and heard_at(heartbeats, string.sub(last, 1, CLIENT_ID_LENGTH), now)
  local enough
  if score and last_heard then
    enough = score + now - last_heard
  elseif length >= 100 then
    enough = (score or now) + SCORE_AHEAD_MS
  else
    enough = counted or fair_score_queue(queue, timeouts, heartbeats, holder, heard, now)
  end
  if length >= 100 then
    enough = math.max(enough, least + PATIENCE_MS)
  end
  -- As all of its client: the next heartbeat adds what has passed since the last one.
  return math.max(least, enough) - (now - heard)
end
