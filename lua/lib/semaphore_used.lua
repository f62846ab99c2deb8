-- Moves the end of a counting semaphore with an `idleMs` where a call changes no permits. The record ends
-- last: a semaphore with an end, of which nothing is known, would go while a permit is out.
local function semaphore_used(semaphore, key, record)
  if record and record.end_ms then
    redis.call('PEXPIRE', key, record.end_ms + OUTLIVES_MS)
    redis.call('PEXPIRE', semaphore, record.end_ms)
  end
end
