-- Whether nothing is known of one grant of a counting semaphore that is still there: it may have been given back, its
-- field may have made room for others, or the record was evicted. `is_deleted`: the record shows that the semaphore is
-- gone.
local function grant_is_unknown(key, record, is_deleted, client, mark, place)
  local id, born, number = string.match(mark, '^(%d+):(%d+):(%d+)$')
  if not record or not id then
    return not is_deleted and id ~= nil
  end
  return id == record.id
    and tonumber(born) <= record.forgotten
    and redis.call('HEXISTS', key, client .. ':' .. number .. ':' .. place) == 0
end
