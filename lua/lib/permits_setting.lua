-- Compares a semaphore with the number of permits that a client was told. `setting` is empty when it
-- was told none; else it is what to do about another number (keep, set or error), what may be done, and the
-- number. 1: the client states it for the first time, and makes the semaphore in any case; 2: it states it
-- again, and makes the semaphore unless that `is_deleted`; 3: the same, and nothing is compared. `total` is
-- that of the semaphore `exists`, if known.
-- Returns by how much to change the permits (nil: not at all), a note behind the answer of the call,
-- and whether the call is refused, with the note as its answer. The note is '!' when there was
-- nothing to compare, and '!' with the total when that is another one and stays.
local function permits_setting(setting, exists, total, is_deleted)
  if setting == '' then
    return nil, ''
  end
  local mismatch, statement, count = string.match(setting, '^(%a+) (%d) (%d+)$')
  if not exists and (statement == '1' or not is_deleted) then
    return tonumber(count), ''
  elseif not exists then
    return nil, '!'
  elseif statement == '3' or not total or total == tonumber(count) then
    return nil, ''
  elseif mismatch == 'set' then
    return count - total, ''
  end
  return nil, string.format('!%.0f', total), mismatch == 'error'
end
