-- Forgets the deletion of a counting semaphore that is there: Java has made it since.
local function semaphore_revive(key, stored, is_deleted)
  if stored and is_deleted then
    redis.call('DEL', key)
  end
end
