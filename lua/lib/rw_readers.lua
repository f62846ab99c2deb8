-- How long a lock in read mode is still read: ms, 0 when it is worth asking again at once, nil when
-- nobody reads any more: the lock is then freed, and its waiters are to be told.
--
-- Our own readers stand in `readers` with the end of their lease, so the longest one says it. Only
-- when that one is gone the hash is looked through, 200 fields a call, for readers of Redisson: those
-- live as long as one of their hold keys does, and who has none is taken out. The fields are picked
-- at random: a scan from the start would visit the same emptied places again and again.
-- include lib/rw_last
-- include lib/rw_left
local function rw_readers(lock, readers, now, stem)
  local last = rw_last(lock, readers, now)
  if last then
    return last
  end
  local are_all = redis.call('HLEN', lock) <= 200
  local fields = redis.call('HRANDFIELD', lock, 200, 'WITHVALUES')
  for i = 1, #fields, 2 do
    local reader = fields[i]
    if reader ~= 'mode' then
      local left = rw_left(readers, reader, fields[i + 1], now, stem)
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
  return nil
end
