-- The mark of the counting semaphore that is there now, '0' when it has none, and whether permits that
-- were taken from the one marked `taken_from` belong to it.
-- They do not when another mark stands: one of ours has made the semaphore anew since. No mark proves
-- nothing (Java made the semaphore, or has lengthened its life beyond that of the mark), and permits
-- must never be lost while their semaphore lives.
local function semaphore_generation(marks, taken_from)
  local now = redis.call('GET', marks) or '0'
  return now, now == '0' or now == taken_from
end
