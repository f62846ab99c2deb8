-- Returns the mode of a read-write lock: 'read', 'write', or false when it is free; an error when
-- the name is in use by something else.
local function rw_mode(lock)
  local mode = redis.call('HGET', lock, 'mode')
  if mode or redis.call('EXISTS', lock) == 0 then
    return mode
  end
  return redis.error_reply('WRONGTYPE the name is in use by a lock that is no read-write lock')
end
