-- Returns for how many ms a lock in read mode is still read, 0 when the caller is to ask again at
-- once, nil when no reader is left: the lock is freed then, and the caller notifies its waiters.
--
-- The ends of our own leases are in `readers`, so the longest lease is the answer. Only when that
-- reader is gone the hash is read, 200 fields a call, for readers of Redisson. Such a reader lives
-- as long as one of its hold keys; a reader without one is removed. The fields are picked at
-- random: a scan from the start would visit the same emptied places again and again.
-- include lib/ends_again
-- include lib/rw_last
-- include lib/rw_left
local function rw_readers(lock, readers, now, stem)
  local last, is_ahead = rw_last(lock, readers, now)
  if is_ahead then
    ends_again(readers, now)
    last = rw_last(lock, readers, now)
  end
  if last then
    return last
  end
  local are_all = redis.call('HLEN', lock) <= 200
  local fields = redis.call('HRANDFIELD', lock, 200, 'WITHVALUES')
  local gone, left = {}, 0
  for i = 1, #fields, 2 do
    local reader = fields[i]
    if reader ~= 'mode' then
      left = rw_left(readers, reader, fields[i + 1], now, stem)
      if left > 0 then
        break
      end
      gone[#gone + 1] = reader
    end
  end
  if left <= 0 and are_all then
    redis.call('DEL', lock, readers)
    return nil
  end
  if #gone > 0 then
    redis.call('ZREM', readers, unpack(gone))
    redis.call('HDEL', lock, unpack(gone))
  end
  return math.max(left, 0)
end
