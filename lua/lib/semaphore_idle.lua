-- Says what becomes of a counting semaphore with an `idleMs` of which `available` permits will be left: when
-- all of them are, it ends so long after this call. Else it has no end, so nothing goes while a permit is out.
-- A waiter that all permits do not serve wants more than there are, and asks again before the semaphore ends.
-- semaphore_keep() and semaphore_change() write it, or semaphore_used().
local function semaphore_idle(record, available)
  if not (record and record.idle_ms) then
    return
  end
  record.left, record.end_ms = string.format('%.0f', available), nil
  if available >= record.total then
    record.end_ms = math.max(record.idle_ms, KEPT_MIN_MS)
  end
end
