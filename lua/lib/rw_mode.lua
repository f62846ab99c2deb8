-- Returns the mode of a read-write lock: 'read', 'write', or false when it is free; an error when
-- the name is in use by something else.
-- include lib/foreign
-- include lib/lock_layout
local function rw_mode(lock)
  local mode = redis.call('HGET', lock, 'mode')
  if not mode and redis.call('EXISTS', lock) == 0 then
    return false
  end
  local layout, found = lock_layout(lock, mode)
  if layout ~= 'read-write lock' then
    return foreign(lock, found or 'a lock that is no read-write lock')
  end
  return mode
end
