-- Returns the writer to which a read-write lock that is free, or about to be, is given, and the window
-- that it asks for: the first one with a ticket that can take it, unless a reader has waited for longer
-- (nil then). Returns also whether readers wait: 1 or 0.
-- include lib/queue_first
-- include lib/rw_first_writer
local function rw_next_writer(keys, now)
  local id, since, _, window_ms = rw_first_writer(keys, now, true)
  local reader, reader_since = queue_first(keys.waiting, keys.heartbeats, now)
  if id and reader and reader_since < since then
    id = nil
  end
  return id, window_ms, reader and 1 or 0
end
