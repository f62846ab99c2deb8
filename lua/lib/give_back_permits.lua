-- Gives permits back behind everybody's back: as many as leave the count within 32 bits, and none
-- when the key has become something else. Returns how many there are now.
-- include lib/available_permits
local function give_back_permits(semaphore, permits)
  local available = available_permits(semaphore)
  if not available then
    return 0
  end
  local given = math.min(permits, 2147483647 - available)
  if given > 0 then
    redis.call('INCRBY', semaphore, string.format('%.0f', given))
    available = available + given
  end
  return available
end
