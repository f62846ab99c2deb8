-- waits/probe: how long each of many locks that are waited for still has another holder.
--
-- KEYS[*] locks      hash     holder -> number of holds; its TTL is the lease
-- ARGV[*] holders    string   for each lock who waits for it
-- returns string     for each lock the ms left on its lease: -1 it has none, -2 it is worth asking

local lives = {}
for i = 1, #KEYS do
  -- Asking is also for what a copy of the waiter's own attempt has got, and for a key that has
  -- become something else: there the error is the answer.
  local held = redis.pcall('HEXISTS', KEYS[i], ARGV[i])
  lives[i] = held == 0 and string.format('%.0f', redis.call('PTTL', KEYS[i])) or '-2'
end
return table.concat(lives, ' ')
