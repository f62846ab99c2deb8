-- Keeps the hold keys of a reader, `keys` from index `first` to `last`, for at least `lease_ms`.
-- Redisson takes a reader for dead when none of its hold keys exists. Returns the keys that are
-- new.
local function rw_keep_holds(keys, first, last, lease_ms)
  local made = {}
  for i = first, last do
    local left = redis.call('PTTL', keys[i])
    if left < lease_ms then
      redis.call('SET', keys[i], '1', 'PX', lease_ms)
      if left == -2 then
        made[#made + 1] = keys[i]
      end
    end
  end
  return made
end
