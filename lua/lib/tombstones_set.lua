-- Sets the tombstone of each holder in the hash whose holds a forced release is about to end, and
-- returns the fields and values that it has seen: all of them, or some 500. A copy of an
-- acquisition that a connection has held back could otherwise take the lock again, for a holder
-- that is never told.
local function tombstones_set(lock, tombstones, tombstone_ms)
  local fields = redis.call('HSCAN', lock, 0, 'COUNT', 500)[2]
  for i = 1, #fields, 2 do
    if fields[i] ~= 'mode' then
      redis.call('SET', tombstones .. fields[i], '1', 'PX', tombstone_ms)
    end
  end
  return fields
end
