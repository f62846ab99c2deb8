-- Compares a semaphore with the number of permits that a client was told. `setting` is empty when it
-- was told none; else it is what to do about another number (keep, set or error), 1 if the client
-- may make the semaphore, and the number. `total` is that of the semaphore `exists`, if known.
-- Returns by how much to change the permits (nil: not at all), a note behind the answer of the call,
-- and whether the call is refused, with the note as its answer. The note is '!' when there was
-- nothing to compare, and '!' with the total when that is another one and stays.
local function permits_setting(setting, exists, total)
  if setting == '' then
    return nil, ''
  end
  local mismatch, makes, count = string.match(setting, '^(%a+) (%d) (%d+)$')
  if not exists and makes == '1' then
    return tonumber(count), ''
  elseif not exists then
    return nil, '!'
  elseif not total or total == tonumber(count) then
    return nil, ''
  elseif mismatch == 'set' then
    return count - total, ''
  end
  return nil, string.format('!%.0f', total), mismatch == 'error'
end
