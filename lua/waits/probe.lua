-- waits/probe: how long each of many objects that are waited for still lives.
--
-- KEYS[*] objects    any      keys whose absence lets a waiter in
-- returns string     for each key the ms it still lives: -1 without limit, -2 it is not there

local lives = {}
for i = 1, #KEYS do
  lives[i] = string.format('%.0f', redis.call('PTTL', KEYS[i]))
end
return table.concat(lives, ' ')
