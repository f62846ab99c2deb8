-- Writes the record of a counting semaphore, with the grants that were put in and without those that were
-- taken out.
-- include lib/semaphore_forget
local function semaphore_keep(key, record)
  if record.loose > LOOSE_MAX then
    semaphore_forget(key, record)
    record.has_changed = true
  end
  local life_ms = record.life_ms
  if record.idle_ms then
    -- The record ends after the semaphore, as in semaphore_used().
    life_ms = record.end_ms and record.end_ms + OUTLIVES_MS or GENERATION_TTL_MS
  end
  if record.life_ms then
    redis.call('DEL', key)
  end
  if life_ms then
    -- First, so that a user who may not set a TTL leaves nothing without one.
    redis.call('PEXPIRE', key, life_ms)
  elseif record.is_used and not record.has_limit then
    redis.call('PEXPIRE', key, GENERATION_TTL_MS)
  end
  local fields = { 'grants', string.format('%.0f %.0f', record.sum, record.last) }
  if record.life_ms or record.has_changed then
    fields[3] = 'semaphore'
    fields[4] = string.format(
      '%s %.0f %.0f %.0f %s %s',
      record.id,
      record.total,
      record.loose,
      record.forgotten,
      record.is_stated and '1' or '0',
      record.idle_ms and string.format('%.0f', record.idle_ms) or record.has_limit and '1' or '0'
    )
  end
  for _, each in ipairs(record.added) do
    fields[#fields + 1] = each
  end
  redis.call('HSET', key, unpack(fields))
  if record.life_ms then
    redis.call('PEXPIRE', key, life_ms)
  end
  if #record.removed > 0 then
    redis.call('HDEL', key, unpack(record.removed))
  end
end
