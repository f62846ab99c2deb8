-- Changes how many permits of a counting semaphore are left, as the last of what has to be done or refused as
-- a whole: its record was written before. Returns an error when the server refuses it, and the record is as it
-- was then. The TTL stays as it is.
local function semaphore_change(semaphore, change, key, record)
  local by = string.format('%.0f', math.abs(change))
  local done = change < 0 and redis.pcall('DECRBY', semaphore, by)
    or redis.pcall('INCRBY', semaphore, by)
  if type(done) ~= 'table' then
    return nil
  end
  if record and record.before then
    redis.call('HSET', key, unpack(record.before))
  end
  for i = 1, record and #record.added or 0, 2 do
    redis.call('HDEL', key, record.added[i])
  end
  return done
end
