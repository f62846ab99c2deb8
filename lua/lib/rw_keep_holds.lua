-- Keeps hold keys of a reader, those of `keys` from `first` to `last`, for at least `lease_ms`.
-- Redisson takes a reader without a live one for dead. Returns those that are new.
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
