-- Whether the lease of a reader of ours still runs: its end is in `readers`, or, when that was
-- lost, the hold key `hold` exists. The field in the hash is no proof: dead readers stay in it
-- until a sweep.
-- include lib/ends_left
local function rw_is_alive(readers, reader, hold, now)
  local score = redis.call('ZSCORE', readers, reader)
  if score then
    return ends_left(tonumber(score), now) > 0
  end
  return redis.call('EXISTS', hold) == 1
end
