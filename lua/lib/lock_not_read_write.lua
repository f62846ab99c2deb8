-- Returns an error when the name of a lock is in use by a read-write lock.
local function lock_not_read_write(lock)
  if redis.call('HEXISTS', lock, 'mode') == 1 then
    return redis.error_reply('WRONGTYPE the name is in use by a read-write lock')
  end
  return nil
end
