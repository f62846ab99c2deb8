-- Puts `holder` at the end of a fair lock's queue, or to its front, or notes that it still stands
-- there, with all of its client.
-- Java's next call evicts a head whose score has passed. So the score of an entry with nobody of
-- Java before it is 5 s ahead, and its client renews it: a dead client costs Java no more. Each
-- acquisition of a Java waiter takes its patience from all scores. A score covers that for each of
-- those before the entry, 300 s if they have the default, and so no acquisition evicts it.
-- Only the first 100 are looked at. An entry further behind is scored as if all were Java's, until
-- it has come up.
-- Queue and scores belong to Java, which gives them no TTL. They get one for as long as one of ours
-- stands there and is heard of: 10 minutes longer than the last score.
-- include lib/fair_score_queue
-- include lib/zadd_for
local function fair_stand_in_queue(queue, timeouts, beats, holder, to_front, now)
  local client = string.sub(holder, 1, CLIENT_ID_LENGTH)
  local heard = redis.call('ZSCORE', beats, client)
  local is_due = not heard or now - heard >= 500
  local stands = redis.call('ZSCORE', timeouts, holder) ~= false
  if stands and not is_due then
    return
  end
  local length = redis.call('LLEN', queue)
  -- Also when it changes nothing: it shows that a score and a TTL can be set, before anything stands
  -- in the queue.
  zadd_for(beats, LINE_TTL_MS, is_due and now or heard, client)
  local behind
  if is_due then
    local found
    behind, found = fair_score_queue(queue, timeouts, beats, holder, now)
    -- Queue and scores tell of the same entries, unless a part of them was lost.
    if length <= 100 or length ~= redis.call('ZCARD', timeouts) then
      stands = found or length > 100 and redis.call('LPOS', queue, holder) ~= false
    end
  end
  local last = redis.call('LINDEX', queue, -1)
  local last_score = last and redis.call('ZSCORE', timeouts, last)
  if not stands then
    local enough = now + SCORE_AHEAD_MS
    if not to_front then
      local last_heard = last and redis.call('ZSCORE', beats, string.sub(last, 1, CLIENT_ID_LENGTH))
      if length >= 100 then
        enough = enough + PATIENCE_MS * length
      elseif last_score and last_heard and now - last_heard < FRESH_MS then
        -- The same of Java's stand before both.
        enough = math.max(enough, last_score)
      else
        enough = behind or fair_score_queue(queue, timeouts, beats, holder, now)
      end
      redis.call('ZREMRANGEBYSCORE', beats, 0, now - OLD_BEAT_MS)
      last_score = enough
    end
    if to_front then
      redis.call('LPUSH', queue, holder)
    else
      redis.call('RPUSH', queue, holder)
    end
    redis.call('ZADD', timeouts, enough, holder)
  end
  local ttl = math.max(tonumber(last_score or 0) - now, 0) + LINE_TTL_MS
  redis.call('PEXPIRE', queue, ttl)
  redis.call('PEXPIRE', timeouts, ttl)
  redis.call('PEXPIRE', beats, ttl)
end
