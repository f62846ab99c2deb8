-- The error of a script that finds in `key` what no object of its kind has there: `found`, as a reader
-- knows it. checked() makes the reply from it, whether it is returned or raised.
local function foreign(key, found)
  return { err = 'WRONGTYPE in ' .. key .. '\n' .. found }
end
