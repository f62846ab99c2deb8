-- Reads the record of a counting semaphore. Its field `semaphore` has the id of that, which no other one of
-- the name has, its total, how many permits came back in another way than by the release of their grant
-- (`loose`), up to which grant they were forgotten, whether somebody has stated the total in code, and
-- whether its life is limited: 0 it is not, 1 by a `ttlMs`; anything else is its `idleMs`. The field `grants`, which each grant changes, has the permits of
-- all grants (`sum`) and the number of the last one. Of a deleted semaphore the hash has the field `deleted`
-- alone. Returns nil when there is no record, with true after a deletion, and raises an error where the hash is
-- something else. `before` is what stands there, `added` and `removed` what a call changes.
--
-- The field of a grant is `<client>:<request>:<place>`. Its value has the permits, and the number of the first
-- grant of its request.
-- include lib/foreign
-- include lib/hash_found
local function semaphore_record(key)
  local of = redis.call('HGET', key, 'semaphore')
  if not of then
    local field = redis.call('HRANDFIELD', key)
    if field == 'deleted' then
      return nil, true
    end
    if field then
      error(foreign(key, hash_found(field)), 0)
    end
    return nil
  end
  local grants = redis.call('HGET', key, 'grants')
  local id, total, loose, forgotten, stated, limited =
    string.match(of, '^(%d+) (%-?%d+) (%d+) (%d+) (%d) (%d+)$')
  local sum, last = string.match(grants or '', '^(%d+) (%d+)$')
  if not (id and sum) then
    error(foreign(key, hash_found('semaphore')), 0)
  end
  return {
    before = { 'semaphore', of, 'grants', grants },
    added = {},
    removed = {},
    id = id,
    total = tonumber(total),
    loose = tonumber(loose),
    forgotten = tonumber(forgotten),
    is_stated = stated == '1',
    has_limit = limited == '1',
    idle_ms = #limited > 1 and tonumber(limited) or nil,
    sum = tonumber(sum),
    last = tonumber(last),
  }
end
