-- Gives `holder` an entry at the end of a fair lock's queue, or at its front. Where it has one, the
-- scores and the heartbeat of its client are renewed.
-- Java's next call evicts a head whose score has passed. So an entry with no Java waiter before it
-- has a score that is 5 s ahead, and its client renews it: a dead client delays Java no longer than
-- that. Each time a Java waiter acquires the lock it subtracts its patience from all scores. A
-- score makes up for that for each Java waiter before the entry, 300 s for each with the default
-- patience, and so no acquisition evicts the entry.
-- Only the first 100 entries are read. An entry behind them is scored as if all before it were
-- Java's, until it is one of the 100.
-- The queue and the scores belong to Java, which gives them no TTL. They get one for as long as an
-- entry of ours is there and its client sends heartbeats: 10 minutes longer than the last score.
-- include lib/fair_score_queue
-- include lib/zadd_for
local function fair_enter_queue(queue, timeouts, heartbeats, holder, to_front, now)
  local client = string.sub(holder, 1, CLIENT_ID_LENGTH)
  local heartbeat = redis.call('ZSCORE', heartbeats, client)
  local is_due = not heartbeat or now - heartbeat >= 500
  local has_entry = redis.call('ZSCORE', timeouts, holder) ~= false
  if has_entry and not is_due then
    return
  end
  local length = redis.call('LLEN', queue)
  -- The queue and the scores have the same entries, unless a part of them was lost.
  local is_damaged = length ~= redis.call('ZCARD', timeouts)
  is_due = is_due or is_damaged
  -- It runs even when it changes nothing: it shows that a score and a TTL can be set, before an
  -- entry is made.
  zadd_for(heartbeats, QUEUE_TTL_MS, is_due and now or heartbeat, client)
  local behind
  if is_due then
    local found
    behind, found = fair_score_queue(queue, timeouts, heartbeats, holder, now)
    if length <= 100 or is_damaged then
      has_entry = found or length > 100 and redis.call('LPOS', queue, holder) ~= false
    end
  end
  local last = redis.call('LINDEX', queue, -1)
  local last_score = last and redis.call('ZSCORE', timeouts, last)
  if not has_entry then
    local enough = now + SCORE_AHEAD_MS
    if not to_front then
      local last_heartbeat = last
        and redis.call('ZSCORE', heartbeats, string.sub(last, 1, CLIENT_ID_LENGTH))
      if length >= 100 then
        enough = enough + PATIENCE_MS * length
      elseif last_score and last_heartbeat and now - last_heartbeat < FRESH_MS then
        -- The same Java waiters are before both entries.
        enough = math.max(enough, last_score)
      else
        enough = behind or fair_score_queue(queue, timeouts, heartbeats, holder, now)
      end
      redis.call('ZREMRANGEBYSCORE', heartbeats, 0, now - OLD_HEARTBEAT_MS)
      last_score = enough
    end
    if to_front then
      redis.call('LPUSH', queue, holder)
    else
      redis.call('RPUSH', queue, holder)
    end
    redis.call('ZADD', timeouts, enough, holder)
  end
  local ttl = math.max(tonumber(last_score or 0) - now, 0) + QUEUE_TTL_MS
  redis.call('PEXPIRE', queue, ttl)
  redis.call('PEXPIRE', timeouts, ttl)
  redis.call('PEXPIRE', heartbeats, ttl)
end
