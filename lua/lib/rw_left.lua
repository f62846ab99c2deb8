-- Returns how many ms a reader still reads; 0 or less when it does not. The lease of a reader of
-- ours ends at its instant in `readers`, that of a reader of Redisson with the last of its hold
-- keys.
-- include lib/ends_left
local function rw_left(readers, reader, holds, now, stem)
  local score = redis.call('ZSCORE', readers, reader)
  if score then
    return (ends_left(tonumber(score), now))
  end
  local left = 0
  for hold = 1, math.min(tonumber(holds) or 0, 100) do
    left = math.max(left, redis.call('PTTL', stem .. reader .. ':rwlock_timeout:' .. hold))
  end
  return left
end
