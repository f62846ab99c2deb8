-- waits/poll: how long each of many locks that are waited for is still held by another.
--
-- KEYS[*] locks      hash     holder -> number of holds; its TTL is the lease
-- ARGV[*] holders    string   for each lock the holder id that waits for it
-- returns string     for each lock the ms left on its lease; -1 it has none; -2 an acquisition is
--                    worth trying

-- include lib/lock_layout
local lives = {}
for i = 1, #KEYS do
  -- An acquisition is also worth trying when a late copy of the waiter's own attempt holds the
  -- lock, and when the key holds something else: the waiter then gets the error.
  local held = redis.pcall('HEXISTS', KEYS[i], ARGV[i])
  local is_foreign = held == 0
    and select(2, lock_layout(KEYS[i], redis.call('HGET', KEYS[i], 'mode'))) ~= nil
  lives[i] = held == 0 and not is_foreign and string.format('%.0f', redis.call('PTTL', KEYS[i]))
    or '-2'
end
return table.concat(lives, ' ')
