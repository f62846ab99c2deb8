-- The statements of a number with `set` that somebody has kept alive in the last day. After the clock was set back they
-- were kept alive just now, at most.
-- Returns a list with their numbers, since when they stand, when they were last kept alive, and whether the record has
-- a later time; and the numbers of those that are older.
local function statements_read(key, now)
  local all, known, old = redis.call('HGETALL', key), {}, {}
  for i = 1, #all, 2 do
    local since, kept = string.match(all[i + 1], '^(%d+) (%d+)$')
    local kept_ms = math.min(tonumber(kept), now)
    if now - kept_ms < STATED_TTL_MS then
      local is_ahead = kept_ms < tonumber(kept)
      known[#known + 1] =
        { count = all[i], since = tonumber(since), kept = kept_ms, is_ahead = is_ahead }
    else
      old[#old + 1] = all[i]
    end
  end
  return known, old
end
