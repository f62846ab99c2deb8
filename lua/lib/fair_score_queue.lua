-- Renews the scores of all entries of `holder`'s client among the first 100 of a fair lock's queue.
-- Returns the score of an entry behind them, and whether `holder` is one of them.
--
--   entry                                     its score
--   before every Java waiter                  now + 5 s
--   behind n Java waiters                     now + 5 s + n * 300 s, Java's default patience
--   behind one of more patience than that     at least the score of that one
--   one of Java's                             stays
--
-- Java's next call evicts a head whose score has passed, and the grant of a Java waiter subtracts
-- its patience from all scores: these make up for it, for each Java waiter before the entry.
-- Behind a more patient one a score is as high as that one and not higher, or scores would grow
-- from one to the next.
local function fair_score_queue(queue, timeouts, heartbeats, holder, now)
  local client = string.sub(holder, 1, CLIENT_ID_LENGTH)
  local scores, enough, patient, found, ours =
    {}, now + SCORE_AHEAD_MS, 0, false, { [client] = true }
  for _, member in ipairs(redis.call('LRANGE', queue, 0, 99)) do
    local owner = string.sub(member, 1, CLIENT_ID_LENGTH)
    if ours[owner] == nil then
      ours[owner] = redis.call('ZSCORE', heartbeats, owner) ~= false
    end
    if not ours[owner] then
      local score = tonumber(redis.call('ZSCORE', timeouts, member) or 0)
      if score > enough + PATIENT_MS then
        patient = math.max(patient, score)
      end
      enough = enough + PATIENCE_MS
    elseif owner == client then
      scores[#scores + 1] = math.max(enough, patient)
      scores[#scores + 1] = member
    end
    found = found or member == holder
  end
  if #scores > 0 then
    redis.call('ZADD', timeouts, unpack(scores))
  end
  return math.max(enough, patient), found
end
