-- Tells the waiters of a semaphore how many permits it has, as the last that a script does, and
-- returns the reply of the script. Nothing is told at 0 and below: nobody could be served, and a
-- negative count is an error in every Java subscriber.
-- include lib/tell
local function tell_available(reply, available, publish, channel)
  if available <= 0 then
    return reply
  end
  return tell(reply, publish, channel, string.format('%.0f', available))
end
