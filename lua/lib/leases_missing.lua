-- Returns how many permits of a semaphore are missing, of which `left` are left and `taken` are taken, and where none is
-- taken the number of permits that is recorded, if one is. The zset of the permits that are taken may be evicted alone:
-- its permits are neither left nor taken then, and their leases are still recorded. While some are taken nothing shows
-- that, and no more are missing than leases are recorded: Java may have lowered the number.
-- include lib/leases_idle
local function leases_missing(leases, left, taken)
  if taken > 0 then
    return 0, nil
  end
  local first = redis.call('ZRANGE', leases, 0, 0, 'WITHSCORES')
  local total = first[1] == 'total' and -1 - first[2] or nil
  if not total or total <= left then
    return 0, total
  end
  local others = leases_idle(leases) and 2 or 1
  return math.min(total - left, redis.call('ZCARD', leases) - others), total
end
