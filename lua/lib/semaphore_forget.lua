-- Forgets old grants of a counting semaphore of which many were given back without proof: their own
-- release is not likely to come any more. Of some that are picked at random the oldest go, so that
-- nothing walks through all of them.
local function semaphore_forget(key, record)
  local picked, grants = redis.call('HRANDFIELD', key, 100, 'WITHVALUES'), {}
  for i = 1, #picked, 2 do
    local permits, born = string.match(picked[i + 1], '^(%d+) (%d+)$')
    if permits then
      grants[#grants + 1] =
        { field = picked[i], permits = tonumber(permits), born = tonumber(born) }
    end
  end
  table.sort(grants, function(one, other)
    return one.born < other.born
  end)
  for i = 1, math.ceil(#grants / 10) do
    local grant = grants[i]
    redis.call('HDEL', key, grant.field)
    record.sum = record.sum - grant.permits
    record.loose = math.max(0, record.loose - grant.permits)
    record.forgotten = math.max(record.forgotten, grant.born)
  end
end
