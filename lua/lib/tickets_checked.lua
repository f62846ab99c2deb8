-- Raises an error where the hash of the tickets of a lock is something else, by one of its fields. Comes
-- before the first write of a script that keeps a ticket.
-- include lib/foreign
-- include lib/hash_found
-- include lib/is_holder
local function tickets_checked(tickets)
  local field = redis.call('HRANDFIELD', tickets)
  local is_ours = not field
    or field == 'turn'
    or field == 'back'
    or field == 'told'
    or is_holder(field)
    -- A client whose readers have waited.
    or #field == CLIENT_ID_LENGTH and is_holder(field .. ':1')
  if not is_ours then
    error(foreign(tickets, hash_found(field)), 0)
  end
end
