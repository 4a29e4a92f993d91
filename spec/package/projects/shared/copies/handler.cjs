const copy = require('express-mrtr');
const greet = require('../greet.cjs');

const refuse = copy.tool('refuse', {}, async () => {
  throw new copy.ToolError('Not today.');
});

/** Asks twice, the second time inside a catch that takes the control signal for a failure. */
const swallow = copy.tool('swallow', {}, async (_args, ctx) => {
  try {
    await ctx.confirm('Really?');
  } catch {
    return 'swallowed';
  }
  return 'confirmed';
});

module.exports = { copy, tools: [greet(copy), refuse, swallow] };
