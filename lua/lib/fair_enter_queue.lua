-- Sees to it that `holder` has an entry in a fair lock's queue, and that Java does not evict those
-- of its client: heartbeat, scores and position, in that order. The TTL of all three keys follows.
--
--   holder's entry   last heartbeat         heartbeat   scores    position
--   there            less than 500 ms ago   -           -         -
--   there            longer ago, or none    now         renewed   -
--   missing          less than 500 ms ago   kept        -         new
--   missing          longer ago, or none    now         renewed   new
--
-- Where queue and scores differ in length a part of them was lost: the heartbeat counts as old, and
-- an entry that the queue does not have as missing.
-- A new entry at the front is behind nobody, and has a score 5 s after its heartbeat: a dead client delays
-- Java no longer than that. One at the end gets that of fair_score_at_end.
--
-- The queue and the scores belong to Java, which gives them no TTL. They get one for as long as an
-- entry of ours is there and its client sends heartbeats: 10 minutes longer than the last score.
-- include lib/fair_score_at_end
-- include lib/fair_score_queue
-- include lib/heard_at
-- include lib/zadd_for
local function fair_enter_queue(queue, timeouts, heartbeats, holder, to_front, now)
  local client = string.sub(holder, 1, CLIENT_ID_LENGTH)
  local heartbeat = heard_at(heartbeats, client, now)
  local is_due = not heartbeat or now - heartbeat >= 500
  local has_entry = redis.call('ZSCORE', timeouts, holder) ~= false
  if has_entry and not is_due then
    return
  end
  local length = redis.call('LLEN', queue)
  local is_damaged = length ~= redis.call('ZCARD', timeouts)
  is_due = is_due or is_damaged
  -- It runs even when it changes nothing: it shows that a score and a TTL can be set, before an
  -- entry is made.
  local heard = is_due and now or heartbeat
  zadd_for(heartbeats, QUEUE_TTL_MS, heard, client)
  local counted
  if is_due then
    local found
    counted, found = fair_score_queue(queue, timeouts, heartbeats, holder, heartbeat, now)
    if length <= 100 or is_damaged then
      has_entry = found or length > 100 and redis.call('LPOS', queue, holder) ~= false
    end
  end
  local last_score
  if has_entry or to_front then
    local last = redis.call('LINDEX', queue, -1)
    last_score = last and redis.call('ZSCORE', timeouts, last) or 0
  else
    last_score = fair_score_at_end(queue, timeouts, heartbeats, holder, length, counted, heard, now)
  end
  if not has_entry then
    redis.call('ZREMRANGEBYSCORE', heartbeats, 0, now - OLD_HEARTBEAT_MS)
    if to_front then
      redis.call('LPUSH', queue, holder)
    else
      redis.call('RPUSH', queue, holder)
    end
    redis.call('ZADD', timeouts, to_front and heard + SCORE_AHEAD_MS or last_score, holder)
  end
  local ttl = math.max(last_score - now, 0) + QUEUE_TTL_MS
  redis.call('PEXPIRE', queue, ttl)
  redis.call('PEXPIRE', timeouts, ttl)
  redis.call('PEXPIRE', heartbeats, ttl)
end
