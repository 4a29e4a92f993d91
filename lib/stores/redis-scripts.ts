/*
 * One hash a state: digest, until (the end of the lease, in milliseconds of Redis' own clock), token (the claim that holds it;
 * gone once settled), reply (once settled).
 */

/** KEYS: record. ARGV: digest, token, lease in ms, lifetime of the record in ms. Sent twice by a client, it claims once. */
export const CLAIM = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local digest, token, lease, reply = unpack(redis.call('HMGET', KEYS[1], 'digest', 'token', 'until', 'reply'))
if reply or (token and token ~= ARGV[2] and tonumber(lease) > now) then
  if digest ~= ARGV[1] then return {'conflict'} end
  if reply then return {'done', reply} end
  return {'in_flight'}
end
lease = string.format('%.0f', now + ARGV[3])
redis.call('HSET', KEYS[1], 'digest', ARGV[1], 'token', ARGV[2], 'until', lease)
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return {'claimed'}
`;

/** KEYS: record. ARGV: token, reply. */
export const SETTLE = `
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 'lost' end
redis.call('HSET', KEYS[1], 'reply', ARGV[2])
redis.call('HDEL', KEYS[1], 'token')
return 'finished'
`;

/** KEYS: record. ARGV: token. */
export const RELEASE = `
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 'lost' end
redis.call('DEL', KEYS[1])
return 'finished'
`;
