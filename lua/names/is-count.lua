-- names/is-count: whether there is a count under a name, as of a semaphore or a latch.
--
-- KEYS[1] name       any      the key of some object
-- returns integer    1 there is a count, 0 there is nothing or something else

-- pcall: GET refuses a value that is no string.
return type(redis.pcall('GET', KEYS[1])) == 'string' and 1 or 0
