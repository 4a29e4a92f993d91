/** The first message for an id is kept and called out, in one step; a repeat does neither. */
export const DELIVER = `
if redis.call('HSETNX', KEYS[1], 'letter', ARGV[1]) == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  redis.call('PUBLISH', ARGV[3], ARGV[4])
end
return 'delivered'
`;

/**
 * The message goes to whoever takes it first, and to the same one again, should the reply get lost. It stays for a while, so
 * that a repeat of the delivery is known as one.
 */
export const TAKE = `
local letter, taker = unpack(redis.call('HMGET', KEYS[1], 'letter', 'taker'))
if not letter then return '' end
if not taker then
  redis.call('HSET', KEYS[1], 'taker', ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
elseif taker ~= ARGV[1] then
  return ''
end
return letter
`;
