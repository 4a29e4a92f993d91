import { createSecretKey } from 'node:crypto';
import { Client, StreamableHTTPClientTransport, type ClientOptions } from '@modelcontextprotocol/client';
import type { McpServer } from '@modelcontextprotocol/server';
import jwt from 'jsonwebtoken';
import { createApp } from '../../examples/sdk/app.js';
import { systemEnvironment } from '../../lib/hosts/environment.js';
import { createSdkMrtr, type SdkMrtr } from '../../lib/hosts/sdk-mrtr.js';
import { resolveSdkOptions, type SdkMrtrOptions } from '../../lib/hosts/sdk-mrtr-options.js';
import { closeAll, KEY, listen } from './http.js';

export interface Asked {
  readonly mode?: string;
  readonly message: string;
  readonly url?: string;
}
export type Answer =
  | { action: 'accept'; content?: Record<string, string | number | boolean | string[]> }
  | { action: 'decline' | 'cancel' };

/** The eras of the official client: its `legacy` mode is a client of 2025-11-25. */
export const ERAS = [
  ['2026-07-28', { pin: '2026-07-28' }],
  ['2025-11-25', 'legacy'],
] as const;
export type Mode = (typeof ERAS)[number][1];

const secret = createSecretKey(Buffer.alloc(32, 5));
const open: Client[] = [];

/** `sdkMrtr()` with a key and a clock of the test. */
export function testMrtr(options: Partial<SdkMrtrOptions> = {}, now = (): number => Date.now()): SdkMrtr {
  return createSdkMrtr(resolveSdkOptions({ audience: 'test', keys: KEY, ...options }), { ...systemEnvironment, now });
}

/** Serves the servers of a factory over HTTP, each request with the `authInfo` of its token. */
export function serve(createServer: () => McpServer): Promise<string> {
  return listen(createApp(createServer, secret));
}

export function tokenOf(user: string | undefined): string {
  return jwt.sign({}, secret, user === undefined ? {} : { subject: user });
}

export async function connect(
  url: string,
  mode: Mode,
  answer: ((asked: Asked) => Answer) | undefined,
  { user = 'ann', ...options }: ClientOptions & { readonly user?: string } = {},
): Promise<{ client: Client; asked: Asked[] }> {
  const { client, asked } = createClient(mode, answer, options);
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${tokenOf(user)}` } },
    }),
  );
  return { client, asked };
}

export function createClient(
  mode: Mode,
  answer: ((asked: Asked) => Answer) | undefined,
  options: ClientOptions = {},
): { client: Client; asked: Asked[] } {
  const client = new Client(
    { name: 'client', version: '1.0.0' },
    { versionNegotiation: { mode }, capabilities: { elicitation: { form: {}, url: {} } }, ...options },
  );
  open.push(client);
  const asked: Asked[] = [];
  if (answer !== undefined) {
    client.setRequestHandler('elicitation/create', (request) => {
      asked.push(request.params as Asked);
      return answer(request.params as Asked);
    });
  }
  return { client, asked };
}

export async function closeClients(): Promise<void> {
  await Promise.all(open.splice(0).map((client) => client.close()));
  await closeAll();
}

export function textOf(result: { content?: unknown }): string {
  return (result.content as { text: string }[])[0]?.text ?? '';
}
