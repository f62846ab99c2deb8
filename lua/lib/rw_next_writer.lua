-- Returns the writer to which a read-write lock that is free, or about to be, is given, and the window
-- that it asks for: the first one with a ticket that can take it, unless a reader has waited for longer
-- (nil then). Returns also whether readers wait: 1 or 0, and whether one of them comes before that writer.
-- include lib/queue_first
-- include lib/rw_first_writer
local function rw_next_writer(keys, now)
  local id, since, _, window_ms = rw_first_writer(keys, now, true)
  local reader, reader_since = queue_first(keys.waiting, keys.heartbeats, now)
  local is_reader_first = id and reader and reader_since < since
  return not is_reader_first and id or nil, window_ms, reader and 1 or 0, is_reader_first
end
