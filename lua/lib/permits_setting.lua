-- Compares a semaphore with the number of permits that an object declares. `setting` is what to do about another
-- number (keep, set or error), how it is stated, and the number, and an `idleMs` behind it where there is one. 1: the
-- client states it for the first time, and makes the semaphore in any case; 2, or 4 with another onMismatch or idleMs
-- than before: it states it again, and makes the semaphore unless that `is_deleted`. `total` is that of the semaphore
-- `exists`.
-- Returns by how much to change the permits (nil: not at all), the total after that, and whether the object is
-- refused, which has to change nothing.
local function permits_setting(setting, exists, total, is_deleted)
  local mismatch, statement, text = string.match(setting, '^(%a+) (%d) (%d+)')
  local count = tonumber(text)
  if not exists then
    if statement == '1' or not is_deleted then
      return count, count
    end
    return nil, 0
  elseif total ~= count and mismatch == 'set' then
    return count - total, count
  end
  return nil, total, total ~= count and mismatch == 'error'
end
