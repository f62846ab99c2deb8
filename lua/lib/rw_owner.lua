-- Returns the holder id of the writer that holds a read-write lock; nil in read mode, or when the writer
-- has read holds as well, so that its lock is passed on to nobody.
local function rw_owner(lock)
  if redis.call('HLEN', lock) == 2 then
    for _, field in ipairs(redis.call('HRANDFIELD', lock, 2)) do
      if string.sub(field, -6) == ':write' then
        return string.sub(field, 1, -7)
      end
    end
  end
  return nil
end
