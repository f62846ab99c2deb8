-- Keeps hold keys of a reader, those of `keys` from `first` to `last`, for at least `lease_ms`.
-- Redisson takes a reader without a live one for dead.
local function keep_holds(keys, first, last, lease_ms)
  for i = first, last do
    if redis.call('PTTL', keys[i]) < lease_ms then
      redis.call('SET', keys[i], '1', 'PX', lease_ms)
    end
  end
end
