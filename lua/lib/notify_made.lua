-- Notifies the waiters of a semaphore that was just made, as the last step of a script, and returns the
-- reply of the script. They know then that there is one, so a message goes out whatever is available: a
-- 0 where nothing is. Java takes a 0 for no permits, and fails on a negative number.
-- include lib/notify
local function notify_made(reply, available, publish, channel)
  return notify(reply, publish, channel, string.format('%.0f', math.max(available, 0)))
end
