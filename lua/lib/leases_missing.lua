-- Returns how many permits of a semaphore, of which `left` are left and none is taken, are missing, and the number of
-- permits that is recorded, if one is. The zset of the permits that are taken may be evicted alone: its permits are
-- neither left nor taken then, and their leases are still recorded. No more are missing than leases are recorded: Java
-- may have lowered the number.
-- include lib/leases_idle
local function leases_missing(leases, left)
  local first = redis.call('ZRANGE', leases, 0, 0, 'WITHSCORES')
  local total = first[1] == 'total' and -1 - first[2] or nil
  if not total or total <= left then
    return 0, total
  end
  local others = leases_idle(leases) and 2 or 1
  return math.min(total - left, redis.call('ZCARD', leases) - others), total
end
