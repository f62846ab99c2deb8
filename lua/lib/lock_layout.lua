-- Returns what the hash of a lock is, by its mode and one field that is not the mode: 'lock',
-- 'read-write lock', or nil and what else is there; nil alone when there is none. One field is enough,
-- and costs the same in a hash of a million: all are written by locks, or none is.
-- include lib/hash_found
-- include lib/is_holder
local function lock_layout(lock, mode)
  for _, field in ipairs(redis.call('HRANDFIELD', lock, 2)) do
    if field ~= 'mode' then
      if not is_holder(field) then
        return nil, hash_found(field)
      elseif not mode then
        return 'lock'
      elseif mode == 'read' or mode == 'write' then
        return 'read-write lock'
      end
    end
  end
  return nil, mode and hash_found('mode') or nil
end
