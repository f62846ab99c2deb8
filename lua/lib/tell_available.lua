-- Tells the waiters of a semaphore how many permits it has. Nothing at 0 and below: nobody could be
-- served, and a negative count is an error in every Java subscriber.
local function tell_available(available, publish, channel)
  if available > 0 then
    redis.call(publish, channel, string.format('%.0f', available))
  end
end
