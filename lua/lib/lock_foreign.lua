-- Returns an error when there is something under the name of a lock that is no lock.
-- include lib/foreign
-- include lib/lock_layout
local function lock_foreign(lock)
  local layout, found = lock_layout(lock, redis.call('HGET', lock, 'mode'))
  if layout == 'read-write lock' then
    found = 'a read-write lock'
  end
  return found and foreign(lock, found) or nil
end
