-- Describes a hash that is not ours by one of its fields, on one line.
local function hash_found(field)
  return 'a hash with the field `' .. string.gsub(string.sub(field, 1, 60), '%c', '?') .. '`'
end
