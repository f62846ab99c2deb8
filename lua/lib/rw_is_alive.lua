-- Whether the lease of a reader of ours still runs: its end is in `readers`, or, when that was
-- lost, the hold key `hold` exists. The field in the hash is no proof: dead readers stay in it
-- until a sweep.
local function rw_is_alive(readers, reader, hold, now)
  local ends_at = redis.call('ZSCORE', readers, reader)
  if ends_at then
    return tonumber(ends_at) > now
  end
  return redis.call('EXISTS', hold) == 1
end
