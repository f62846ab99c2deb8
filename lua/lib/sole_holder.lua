-- Returns the holder of a lock; nil while it is free, or where several holders were written into it.
local function sole_holder(lock)
  local holders = redis.call('HRANDFIELD', lock, 2)
  return #holders == 1 and holders[1] or nil
end
