-- Follows a change of a counting semaphore in what is known of its total, if anything is: by how
-- much the permits that are left have changed, and the total.
local function semaphore_move_total(totals, left, total)
  redis.call('ZADD', totals, 'XX', 'INCR', string.format('%.0f', left), 'left')
  if total ~= 0 then
    redis.call('ZADD', totals, 'XX', 'INCR', string.format('%.0f', total), 'total')
  end
end
