-- Whether the client of `before`, which has a fair lock or will have it just before `holder`, gives it to
-- `holder` with its release: all clients of ours do that, and those are known by a ticket, by their own
-- channel, or as the client of `holder`. Otherwise its release notifies `holder`.
-- include lib/own_listeners
local function fair_hands_on(lock, tickets, before, holder, publish)
  return string.sub(before, 1, CLIENT_ID_LENGTH) == string.sub(holder, 1, CLIENT_ID_LENGTH)
    or redis.call('HEXISTS', tickets, before) == 1
    or own_listeners(before, lock, publish) > 0
end
