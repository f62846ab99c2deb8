-- For how many ms more a free lock is left to those who stand in no line; 0 when it is not.
local function line_stands_back(tickets, now)
  local back = tonumber(redis.call('HGET', tickets, 'back') or 0) - now
  return back <= STAND_BACK_MS and math.max(0, back) or 0
end
