-- Renews the scores of all of `holder`'s client among the first 100 in a fair lock's queue. Returns
-- the score of an entry behind them, and whether `holder` is one of them.
-- A score of Java's that is further off than the default patience explains is that of somebody more
-- patient: those behind are scored as high. Not higher, or scores would grow from one to the next.
local function fair_score_queue(queue, timeouts, beats, holder, now)
  local client = string.sub(holder, 1, CLIENT_ID_LENGTH)
  local scores, enough, floor, found, ours = {}, now + SCORE_AHEAD_MS, 0, false, { [client] = true }
  for _, member in ipairs(redis.call('LRANGE', queue, 0, 99)) do
    local whose = string.sub(member, 1, CLIENT_ID_LENGTH)
    if ours[whose] == nil then
      ours[whose] = redis.call('ZSCORE', beats, whose) ~= false
    end
    if not ours[whose] then
      local score = tonumber(redis.call('ZSCORE', timeouts, member) or 0)
      if score > enough + PATIENT_MS then
        floor = math.max(floor, score)
      end
      enough = enough + PATIENCE_MS
    elseif whose == client then
      scores[#scores + 1] = math.max(enough, floor)
      scores[#scores + 1] = member
    end
    found = found or member == holder
  end
  if #scores > 0 then
    redis.call('ZADD', timeouts, unpack(scores))
  end
  return math.max(enough, floor), found
end
