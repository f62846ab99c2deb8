-- Returns the holder of a lock; nil while it is free, or where several holders were written into it.
-- Two commands, since asking for up to two fields costs Redis more than both.
local function sole_holder(lock)
  return redis.call('HLEN', lock) == 1 and redis.call('HRANDFIELD', lock) or nil
end
