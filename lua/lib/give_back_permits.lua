-- Gives permits back behind everybody's back: as many as leave the count within 32 bits. None when
-- the semaphore is gone, since they would make one that nobody has set, or when its key has become
-- something else. Returns how many were given back, and how many there are now.
-- include lib/available_permits
local function give_back_permits(semaphore, permits)
  local available, exists = available_permits(semaphore)
  if not available or not exists then
    return 0, 0
  end
  local given = math.max(math.min(permits, 2147483647 - available), 0)
  if given > 0 then
    redis.call('INCRBY', semaphore, string.format('%.0f', given))
  end
  return given, available + given
end
