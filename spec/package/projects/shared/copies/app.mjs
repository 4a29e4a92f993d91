import assert from 'node:assert/strict';
import { once } from 'node:events';
import express from 'express';
import * as mine from 'express-mrtr';
import rounds from '../rounds.cjs';
import handler from './handler.cjs';

const { copy: other, tools } = handler;
assert.notEqual(mine.mrtr, other.mrtr, 'this app must hold two copies of the package');

const app = express();
const server = { name: 'toy', version: '1.0.0' };
app.use('/mcp', mine.mrtr({ server, tools, keys: rounds.KEY, anonymous: true }));
await rounds.twoRounds(app);

const listening = app.listen(0, '127.0.0.1');
await once(listening, 'listening');
const url = `http://127.0.0.1:${listening.address().port}/mcp`;
const refused = await rounds.call(url, {}, 'refuse');
assert.deepEqual([refused.isError, refused.content[0].text], [true, 'Not today.']);
assert.equal((await rounds.call(url, {}, 'swallow')).resultType, 'input_required');
listening.close();
listening.closeAllConnections();

for (const [here, there] of [
  [mine, other],
  [other, mine],
]) {
  const mistake = thrownBy(() => there.tool('', {}, () => ''));
  const range = new there.MrtrRangeError('ERR_MRTR_OPTION', 'out of range');
  const errors = {
    MrtrError: new there.MrtrError('ERR_MRTR_INTERNAL', 'broken'),
    ToolError: new there.ToolError('no'),
    ResourceNotFoundError: new there.ResourceNotFoundError('shop://nothing'),
    LedgerMismatchError: new there.LedgerMismatchError(1, 'a', 'b'),
    MrtrTypeError: mistake,
    MrtrRangeError: range,
  };
  for (const [name, error] of Object.entries(errors)) {
    for (const candidate of Object.keys(errors)) {
      const expected = candidate === name || candidate === 'MrtrError';
      assert.equal(error instanceof here[candidate], expected, `${name} instanceof ${candidate}`);
    }
  }
  assert.ok(mistake instanceof TypeError && range instanceof RangeError);
  class OwnError extends here.ToolError {}
  assert.ok(new OwnError('mine') instanceof OwnError && new OwnError('mine') instanceof there.ToolError);
  assert.ok(!(errors.ToolError instanceof OwnError));
}
console.log('OK');

function thrownBy(call) {
  try {
    call();
  } catch (error) {
    return error;
  }
  assert.fail('nothing was thrown');
}
