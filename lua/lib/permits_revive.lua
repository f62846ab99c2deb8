-- Forgets the deletion of a semaphore that is there: Java has made it since.
local function permits_revive(key, exists, is_deleted)
  if exists and is_deleted then
    redis.call('DEL', key)
  end
end
