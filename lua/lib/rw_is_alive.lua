-- Whether the lease of a reader of ours still runs: by its end in `readers`, or, when that was lost,
-- by the hold key `hold`. Its field alone says nothing: dead readers are swept now and then.
local function rw_is_alive(readers, reader, hold, now)
  local ends_at = redis.call('ZSCORE', readers, reader)
  if ends_at then
    return tonumber(ends_at) > now
  end
  return redis.call('EXISTS', hold) == 1
end
