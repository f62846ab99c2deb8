-- Notifies the waiters of a semaphore of the number of available permits, as the last step of a
-- script, and returns the reply of the script. It publishes nothing at 0 and below: no waiter could
-- be served, and a negative count is an error in every Java subscriber.
-- include lib/notify
local function notify_available(reply, available, publish, channel)
  if available <= 0 then
    return reply
  end
  return notify(reply, publish, channel, string.format('%.0f', available))
end
