-- Renews the scores of all entries of `holder`'s client among the first 100 of a fair lock's queue, and moves
-- the Java waiters right behind each of them along. Returns the score of an entry behind them, and whether
-- `holder` is one of them. `last_heard`: the heartbeat at which its client renewed them before; false if none.
--
--   entry                                 its score
--   of ours, before every Java waiter     now + 5 s
--   of ours, behind Java waiters          now + 5 s + their patience, and never less ahead than it was at the
--                                         last heartbeat of its client
--   of Java, behind one of the client     as far behind that one as before: its patience
--   of Java, any other                    stays
--
-- Java's next call evicts a head whose score has passed, and the grant of a Java waiter subtracts its
-- patience from all scores. Java gives an entry the score of the one before it and its patience. The
-- scores of both stay as far apart, so the patience can be read from them. That of the head cannot: its
-- score is that of the lease before it and its patience, and says how long ago only while it is new. One
-- that is still far ahead has at least the default patience. What is ahead of an entry of ours at its
-- last heartbeat needs no reading: whatever has been served since is subtracted.
-- include lib/heard_at
local function fair_score_queue(queue, timeouts, heartbeats, holder, last_heard, now)
  local client = string.sub(holder, 1, CLIENT_ID_LENGTH)
  local heard = { [client] = last_heard or now }
  local enough, before, moved, is_behind_java = now + SCORE_AHEAD_MS, nil, 0, false
  local scores, found = {}, false
  for _, member in ipairs(redis.call('LRANGE', queue, 0, 99)) do
    local owner = string.sub(member, 1, CLIENT_ID_LENGTH)
    if heard[owner] == nil then
      heard[owner] = heard_at(heartbeats, owner, now)
    end
    local score = tonumber(redis.call('ZSCORE', timeouts, member) or before or now)
    local next_score = score
    if not heard[owner] then
      local patience = math.max(score - (before or now), 0)
      if not before and patience > BRIEF_MS then
        patience = math.max(patience, PATIENCE_MS)
      end
      enough = enough + patience
      is_behind_java = true
      next_score = score + moved
    else
      if is_behind_java then
        enough = math.max(enough, score + now - heard[owner])
      end
      next_score = owner == client and enough or score
      moved = next_score - score
    end
    if next_score ~= score then
      scores[#scores + 1] = next_score
      scores[#scores + 1] = member
    end
    before = score
    found = found or member == holder
  end
  if #scores > 0 then
    redis.call('ZADD', timeouts, unpack(scores))
  end
  return enough, found
end
