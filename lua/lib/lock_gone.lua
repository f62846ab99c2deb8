-- Says what is in a lock that a holder does not hold: '2' another has it, '0' nobody, '3' the key holds something
-- else, also where `held`, which asking for the holder was answered, is an error.
-- include lib/lock_layout
local function lock_gone(lock, held)
  local is_foreign = type(held) == 'table'
    or select(2, lock_layout(lock, redis.call('HGET', lock, 'mode'))) ~= nil
  return is_foreign and '3' or redis.call('EXISTS', lock) == 1 and '2' or '0'
end
