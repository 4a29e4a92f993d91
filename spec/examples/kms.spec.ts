import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { keyIdOf, said, transferAt } from '../../examples/kms/client.js';
import { startNode, type Node } from '../../examples/kms/node.js';
import { KmsKeyProvider } from '../../examples/kms/provider.js';
import { startKms, type Kms } from '../../examples/kms/server.js';
import { keyring } from '../../lib/index.js';
import { eventsOf } from '../support/http.js';

const INTERNAL = 'Internal error. The operator of this server can see the reason in its events.';
const BAD_STATE = 'The requestState is not valid for this request. Call again without it to start over.';

interface Ended {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

function run(file: string): Promise<Ended> {
  const options = { cwd: join(__dirname, '../..'), timeout: 60_000 };
  return new Promise((resolve) => {
    execFile(process.execPath, ['--import', 'tsx', file], options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

describe('the example of a KMS', () => {
  it('carries a flow over a rotation, ends by itself, and prints no key', async () => {
    const { code, stdout, stderr } = await run('examples/kms/main.ts');
    expect([code, stderr]).toEqual([0, '']);
    const [begun, rotated, gone, done] = stdout.split('\n');
    const [, oldId] = /^Node 1 asks "Send 10 € to Bob\?" and seals under key ([\w-]{6})\.$/.exec(begun ?? '') ?? [];
    expect(oldId).toBeDefined();
    expect(rotated).toContain('The key is rotated in the KMS.');
    const [, foundId, newId] = /^Node 2 finds ([\w-]{6}) in the KMS, .* under key ([\w-]{6})\.$/.exec(gone ?? '') ?? [];
    expect(foundId).toBe(oldId);
    expect(newId).not.toBe(oldId);
    expect(done).toBe(`Node 1 finds ${newId ?? ''} in the KMS and says "Sent 10 € to Bob."`);
    expect(stdout).not.toContain('mrtrk_');
  }, 90_000);
});

describe('the key provider of the example', () => {
  const { signal } = new AbortController();
  const nodes: Node[] = [];
  let kms: Kms;

  beforeEach(async () => {
    kms = await startKms();
  });
  afterEach(async () => {
    for (const node of nodes.splice(0)) node.close();
    await kms.close();
  });

  const start = async (provider: KmsKeyProvider): Promise<Node> => {
    const node = await startNode(provider);
    nodes.push(node);
    return node;
  };
  const ask = (method: string, path: string) =>
    fetch(`${kms.url}${path}`, { method, headers: { authorization: `Bearer ${kms.token}` } });

  it('finds a version by any id of its key, whether it has read it before or not', async () => {
    const old = await new KmsKeyProvider(kms).current(signal);
    await ask('POST', '/keys/mrtr/versions');
    const provider = new KmsKeyProvider(kms);
    const current = await provider.current(signal);
    expect(current.keyIds).not.toEqual(old.keyIds);
    for (const id of [...old.keyIds, ...old.keyIds]) {
      expect((await provider.resolve(id, signal))?.keyIds).toEqual(old.keyIds);
    }
    expect(await provider.resolve('AAAAAA', signal)).toBeUndefined();
  });

  it('refuses a state under a version that was destroyed', async () => {
    const begun = await transferAt((await start(new KmsKeyProvider(kms))).url);
    await ask('POST', '/keys/mrtr/versions');
    expect((await ask('DELETE', '/keys/mrtr/versions/1')).status).toBe(204);
    const { url } = await start(new KmsKeyProvider(kms));
    const events = await eventsOf('mrtr:refused', () => expect(transferAt(url, begun)).rejects.toThrow(BAD_STATE));
    expect(events).toMatchObject([{ reason: 'ERR_MRTR_STATE_UNKNOWN_KEY' }]);
  });

  it('goes on with the keys that it holds when the KMS is gone; a node that holds none answers -32603', async () => {
    const warm = await start(new KmsKeyProvider(kms));
    const begun = await transferAt(warm.url);
    const cold = await start(new KmsKeyProvider(kms));
    await kms.close();
    const gone = await transferAt(warm.url, begun);
    expect(keyIdOf(gone)).toBe(keyIdOf(begun));
    expect(said(await transferAt(warm.url, gone))).toBe('Sent 10 € to Bob.');
    await expect(transferAt(cold.url)).rejects.toThrow(INTERNAL);
    await expect(transferAt(cold.url, begun)).rejects.toThrow(INTERNAL);
    await expect(transferAt(cold.url)).rejects.toThrow(INTERNAL);
  });

  it('fails when the KMS refuses its token', async () => {
    const provider = new KmsKeyProvider({ url: kms.url, token: 'expired' });
    await expect(provider.current(signal)).rejects.toThrow('The KMS answered /keys/mrtr with 401.');
    await expect(provider.resolve('AAAAAA', signal)).rejects.toThrow('with 401');
  });

  it('is called off when the KMS takes the connection and never answers', async () => {
    let calledOff = (): void => undefined;
    const closed = new Promise<void>((resolve) => (calledOff = resolve));
    const silent = createServer((_req, res) => res.once('close', calledOff));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const { url } = await start(new KmsKeyProvider({ url: `http://127.0.0.1:${port}`, token: '' }));
    await expect(transferAt(url)).rejects.toThrow(INTERNAL);
    await closed;
    await new Promise((resolve) => silent.close(resolve));
  });

  it('names keys as keyring() does', async () => {
    const { key } = (await (await ask('GET', '/keys/mrtr/versions/1')).json()) as { key: string };
    expect((await new KmsKeyProvider(kms).current(signal)).keyIds).toEqual(keyring(key).keyIds);
  });
});
