-- lock/inspect: who holds a lock, and how long its lease still runs.
--
-- KEYS[1] lock       hash     holder -> number of holds; its TTL is the lease
-- returns string     JSON: [ms left, holder, holds, holder, holds, ...]

local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  if fields[i] == 'mode' then
    return redis.error_reply('WRONGTYPE the name is in use by a read-write lock')
  end
end
table.insert(fields, 1, redis.call('PTTL', KEYS[1]))
return cjson.encode(fields)
