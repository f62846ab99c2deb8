-- Whether a number of permits of this name was stated with `set` in the last day. Raises an error where the hash is
-- something else: its fields are numbers.
-- include lib/foreign
-- include lib/hash_found
local function statements_known(key)
  local field = redis.call('HRANDFIELD', key)
  if field and not string.find(field, '^%d+$') then
    error(foreign(key, hash_found(field)), 0)
  end
  return field
end
