-- How long a lock in read mode is still read: ms, 0 when it is worth asking again at once, nil when
-- nobody reads any more: the lock is then freed, and its waiters are told.
--
-- Our own readers stand in `readers` with the end of their lease, so the longest one says it. Only
-- when that one is gone the hash is looked through, 200 fields a call, for readers of Redisson: those
-- live as long as one of their hold keys does, and who has none is taken out. The fields are picked
-- at random: a scan from the start would visit the same emptied places again and again.
local function rw_readers(lock, readers, now, stem, publish, channel)
  local last = redis.call('ZREVRANGE', readers, 0, 0, 'WITHSCORES')
  if last[1] and tonumber(last[2]) > now and redis.call('HEXISTS', lock, last[1]) == 1 then
    return tonumber(last[2]) - now
  end
  local are_all = redis.call('HLEN', lock) <= 200
  local fields = redis.call('HRANDFIELD', lock, 200, 'WITHVALUES')
  for i = 1, #fields, 2 do
    local reader, left = fields[i], 0
    if reader ~= 'mode' then
      local ends_at = redis.call('ZSCORE', readers, reader)
      if ends_at then
        left = tonumber(ends_at) - now
      else
        for hold = 1, math.min(tonumber(fields[i + 1]) or 0, 100) do
          local key = stem .. reader .. ':rwlock_timeout:' .. hold
          left = math.max(left, redis.call('PTTL', key))
        end
      end
      if left > 0 then
        return left
      end
      redis.call('HDEL', lock, reader)
      redis.call('ZREM', readers, reader)
    end
  end
  if not are_all then
    return 0
  end
  redis.call('DEL', lock, readers)
  redis.call(publish, channel, '0')
  return nil
end
