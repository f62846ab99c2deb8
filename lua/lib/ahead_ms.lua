-- After how many ms at the latest a waiter has to ask again, where the lock is taken for `left_ms` (-1: no
-- limit): whoever waits right before it may be given the lock at any time for `window_ms`, nil without a
-- ticket, and let that run out without a word.
local function ahead_ms(left_ms, window_ms)
  -- The fields of a ticket are texts.
  left_ms, window_ms = tonumber(left_ms), tonumber(window_ms)
  if not window_ms then
    return left_ms
  end
  local soon_ms = math.max(AHEAD_MIN_MS, window_ms)
  return left_ms < 0 and soon_ms or math.min(left_ms, soon_ms)
end
