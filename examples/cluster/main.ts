/** Three nodes, one Redis, a proxy without sticky routing, and a node that dies. Run it: node --import tsx examples/cluster/main.ts */
import { createSecretKey } from 'node:crypto';
import { generateKey } from 'express-mrtr';
import jwt from 'jsonwebtoken';
import { pay, type Flow } from './client.js';
import { end, hasRedisServer, startNode, startRedis, type Node } from './nodes.js';
import { startProxy } from './proxy.js';

const FLOWS = 60;
const CONCURRENCY = 8;

if (hasRedisServer()) await run();
else
  console.log(
    'This example starts a redis-server, which is not installed here. Install Redis 5 or later, and run it again.',
  );

async function run(): Promise<void> {
  const redis = await startRedis();
  const secret = generateKey();
  const env = { JWT_SECRET: secret, MRTR_KEYS: generateKey(), PUBLIC_HOST: 'localhost', REDIS_URL: redis.url };
  const nodes = await Promise.all(['a', 'b', 'c'].map((name) => startNode(`node-${name}`, env)));
  const proxy = await startProxy(nodes);
  const token = jwt.sign({}, createSecretKey(secret, 'utf8'), { subject: 'ann', expiresIn: '1h' });

  const flows: Flow[] = [];
  let started = 0;
  let killing: Promise<void> | undefined;
  const worker = async (): Promise<void> => {
    while (started < FLOWS) {
      const number = (started += 1);
      flows.push(await pay(proxy.url, token, `payee-${number}`, number));
      if (flows.length >= FLOWS / 3) killing ??= kill(nodes[0] as Node);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  await killing;

  const paid = await Promise.all(flows.map(async ({ payee }) => Number(await redis.client.get(`bank:paid:${payee}`))));
  report(nodes, flows, paid);

  proxy.close();
  await Promise.all(nodes.map((node) => end(node, 'SIGTERM')));
  await redis.close();
}

async function kill(node: Node): Promise<void> {
  console.log(`${node.name} is killed while flows are under way.`);
  await end(node, 'SIGKILL');
}

function report(nodes: readonly Node[], flows: readonly Flow[], paid: readonly number[]): void {
  console.table(
    nodes.map(({ name }) => ({
      node: name,
      rounds: flows.flatMap((flow) => flow.nodes).filter((each) => each === name).length,
    })),
  );
  console.table([
    {
      flows: flows.length,
      'on several nodes': flows.filter((flow) => new Set(flow.nodes).size > 1).length,
      'requests repeated': flows.reduce((sum, { repeats }) => sum + repeats, 0),
      'paid once': paid.filter((times) => times === 1).length,
      // A node that died after it had paid and before it could say so: its lease ran out, and the round ran again.
      'paid again after a lease': paid.filter((times) => times > 1).length,
    },
  ]);
}
