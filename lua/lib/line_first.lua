-- Returns the first live member of a line (member -> rank), its rank, and the ms after which it
-- counts as absent unless it is heard of again; nil when no member is alive.
-- A member that has not been heard of for 4 s loses its place; at most 32 of them go per call, and
-- the next one then counts as alive for a moment longer.
local function line_first(line, beats, now)
  for i = 1, 32 do
    local first = redis.call('ZRANGE', line, 0, 0, 'WITHSCORES')
    if not first[1] then
      return nil
    end
    local heard = redis.call('ZSCORE', beats, first[1])
    local left = heard and tonumber(heard) + ABSENT_MS - now or 0
    if left > 0 then
      return first[1], tonumber(first[2]), left
    end
    if i == 32 then
      return first[1], tonumber(first[2]), 0
    end
    redis.call('ZREM', line, first[1])
    redis.call('ZREM', beats, first[1])
  end
end
