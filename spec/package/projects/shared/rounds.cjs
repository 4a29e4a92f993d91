const assert = require('node:assert/strict');
const { once } = require('node:events');

const KEY = `mrtrk_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64url')}`;
const VERSION = '2026-07-28';

/** Calls the tool `greet` at /mcp of an app: it must ask for a name, then greet by it. */
async function twoRounds(app) {
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const url = `http://127.0.0.1:${server.address().port}/mcp`;
    const asked = await call(url, {});
    assert.equal(asked.resultType, 'input_required');
    assert.equal(asked.inputRequests['elicit-1'].params.message, 'What is your name?');
    const inputResponses = { 'elicit-1': { action: 'accept', content: { name: 'Ada' } } };
    const greeted = await call(url, { requestState: asked.requestState, inputResponses });
    assert.equal(greeted.resultType, 'complete');
    assert.equal(greeted.content[0].text, 'Hello, Ada!');
    assert.equal(greeted.isError, undefined);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

async function call(url, params, name = 'greet') {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'toy', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': VERSION,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, ...params, _meta: meta } }),
  });
  const { result, error } = await response.json();
  assert.equal(error, undefined);
  return result;
}

module.exports = { KEY, call, twoRounds };
