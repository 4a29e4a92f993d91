/** Two nodes with their keys in a KMS, and a rotation in the middle of a flow. Run it: node --import tsx examples/kms/main.ts */
import { keyIdOf, said, transferAt } from './client.js';
import { startNode } from './node.js';
import { KmsKeyProvider } from './provider.js';
import { startKms } from './server.js';

const kms = await startKms();
const first = await startNode(new KmsKeyProvider(kms));

const begun = await transferAt(first.url);
console.log(`Node 1 asks "${said(begun)}" and seals under key ${keyIdOf(begun)}.`);

await fetch(`${kms.url}/keys/mrtr/versions`, { method: 'POST', headers: { authorization: `Bearer ${kms.token}` } });
console.log('The key is rotated in the KMS. Node 2 starts and knows only the new one.');

const second = await startNode(new KmsKeyProvider(kms));
const gone = await transferAt(second.url, begun);
console.log(`Node 2 finds ${keyIdOf(begun)} in the KMS, asks "${said(gone)}" and seals under key ${keyIdOf(gone)}.`);

const done = await transferAt(first.url, gone);
console.log(`Node 1 finds ${keyIdOf(gone)} in the KMS and says "${said(done)}"`);

first.close();
second.close();
await kms.close();
