-- Returns the mark of the counting semaphore that exists now, '0' when it has none, and whether
-- permits that were acquired from the one with the mark `acquired_from` belong to it.
-- They do not when the mark is another one: a latchkey client has made the semaphore anew since.
-- Without a mark nothing is known (Java made the semaphore, or has lengthened its life beyond that
-- of the mark), and the permits count as its own: permits must never be lost while their semaphore
-- lives.
local function semaphore_generation(marks, acquired_from)
  local now = redis.call('GET', marks) or '0'
  return now, now == '0' or now == acquired_from
end
