-- Runs a script. Where it meets a key with something that is not ours, the reply is an error that says
-- which of the keys that is, and what is in it. `types` has a letter for the declared type of each key,
-- the last one for all that follow; `a` for any. Every script with keys ends with this: the generator
-- writes the call.
-- include lib/hash_found
local function checked(keys, types, run)
  local is_done, reply = pcall(run)
  -- What a command raises is a string here in Redis, a table in its simulation.
  local raised = type(reply) == 'table' and reply.err or not is_done and reply
  if not raised then
    return reply
  end
  -- Redis puts the line of the script in front of what is raised, and some versions a minus.
  local text = string.match(raised, '^@?user_script: ?%d+: %-?(.*)') or raised
  if not string.find(text, 'WRONGTYPE', 1, true) then
    return is_done and reply
      or redis.error_reply(string.find(text, '^%u+ ') and text or 'ERR ' .. text)
  end
  local known, what = string.match(text, 'WRONGTYPE in (.*)\n(.*)')
  local expected = { s = 'string', h = 'hash', l = 'list', z = 'zset' }
  for i, key in ipairs(keys) do
    local found = key == known and what
    -- pcall: a user who may not ask for the type gets the error of the server.
    local is = not known and redis.pcall('TYPE', key).ok
    local letter = string.sub(types, i, i)
    local declared = expected[letter == '' and string.sub(types, -1) or letter]
    if is and is ~= 'none' and declared and is ~= declared then
      found = is == 'hash' and hash_found(redis.call('HRANDFIELD', key)) or 'a ' .. is
    end
    if found then
      return redis.error_reply('WRONGTYPE key ' .. i .. ' holds ' .. found)
    end
  end
  return redis.error_reply(string.match(text, 'WRONGTYPE.*'))
end
