-- Takes grants out of the record of a counting semaphore: those of one request of a client, with the mark
-- `mark`, from `place` on, each with so many permits as `counts` says. Returns how many permits come back with
-- them. semaphore_keep() writes it.
--
-- A grant that is not there was given back before, or was lost by a failover: nothing comes back with it.
-- One that is older than what was forgotten comes back whole, since nothing is known of it.
local function semaphore_take_out(key, record, client, mark, place, counts)
  local born, number = string.match(mark, '^%d+:(%d+):(%d+)$')
  local returned = 0
  for i, count in ipairs(counts) do
    local grant = client .. ':' .. number .. ':' .. (place + i - 1)
    local value = redis.call('HGET', key, grant)
    if value then
      local permits = tonumber(string.match(value, '^%d+'))
      record.sum = record.sum - permits
      record.removed[#record.removed + 1] = grant
      record.before[#record.before + 1] = grant
      record.before[#record.before + 1] = value
      returned = returned + permits
    elseif tonumber(born) <= record.forgotten then
      returned = returned + count
    end
  end
  return returned
end
