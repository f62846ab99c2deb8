-- Puts grants in the record of a counting semaphore: of `needs`, as many as were `served` by the request
-- `number` of a client. Returns their mark: the id of the semaphore, the number of the first of them, and that
-- of the request. semaphore_keep() writes it.
local function semaphore_put_in(record, client, number, needs, served)
  local first = record.last + 1
  for i = 1, served do
    record.sum = record.sum + needs[i]
    record.added[2 * i - 1] = client .. ':' .. number .. ':' .. i
    record.added[2 * i] = needs[i] .. ' ' .. first
  end
  record.last = record.last + served
  record.is_used = served > 0 and first % KEPT_EVERY == 0
  return record.id .. ':' .. string.format('%.0f', first) .. ':' .. number
end
