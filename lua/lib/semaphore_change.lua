-- Changes how many permits of a counting semaphore are left, as the last of what has to be done or refused as
-- a whole: its record was written before. Returns an error when the server refuses it, and the record is as it
-- was then. The TTL stays as it is, but for a semaphore with an `idleMs`: the one command that changes its permits
-- also sets its end or takes that away, as semaphore_idle() has said.
local function semaphore_change(semaphore, change, key, record)
  local by, done = string.format('%.0f', math.abs(change)), nil
  if record and record.idle_ms then
    done = record.end_ms and redis.pcall('SET', semaphore, record.left, 'PX', record.end_ms)
      or redis.pcall('SET', semaphore, record.left)
  else
    done = change < 0 and redis.pcall('DECRBY', semaphore, by)
      or redis.pcall('INCRBY', semaphore, by)
  end
  if type(done) ~= 'table' or not done.err then
    return nil
  end
  if record and record.before then
    redis.call('HSET', key, unpack(record.before))
    if record.end_ms then
      -- A permit is still out: what is known of it ends no sooner.
      redis.call('PEXPIRE', key, GENERATION_TTL_MS)
    end
  end
  for i = 1, record and #record.added or 0, 2 do
    redis.call('HDEL', key, record.added[i])
  end
  return done
end
