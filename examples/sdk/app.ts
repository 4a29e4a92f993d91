import { randomBytes, type KeyObject } from 'node:crypto';
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import { createMcpHandler, isLegacyRequest, type AuthInfo, type McpServer } from '@modelcontextprotocol/server';
import express, { type Express, type Request, type RequestHandler } from 'express';
import jwt from 'jsonwebtoken';

type Authenticated = Request & { auth?: AuthInfo };

/** The SDK's servers on Express, each request with the `authInfo` of its token: `extra.sub` says whose flow it is. */
export function createApp(createServer: () => McpServer, key: KeyObject): Express {
  const modern = toNodeHandler(createMcpHandler(createServer, { legacy: 'reject' }));
  const earlier = sessions(createServer);
  const app = express();
  app.all('/mcp', express.json({ limit: '1mb' }), authenticate(key), async (req, res) => {
    const legacy = await isLegacyRequest(await toWebRequest(req, req.body), req.body);
    await (legacy ? earlier(req, res) : modern(req, res, req.body));
  });
  return app;
}

function authenticate(key: KeyObject): RequestHandler {
  return (req: Authenticated, res, next) => {
    const token = /^Bearer (\S+)$/.exec(req.get('authorization') ?? '')?.[1] ?? '';
    try {
      const { sub, azp = '' } = jwt.verify(token, key, { algorithms: ['HS256'] }) as { sub?: string; azp?: string };
      req.auth = { token, clientId: azp, scopes: [], extra: { sub } };
    } catch {
      res.status(401).set('WWW-Authenticate', 'Bearer').end();
      return;
    }
    next();
  };
}

/** Clients of earlier revisions are asked through the session in which they called; each is its user's alone. */
function sessions(createServer: () => McpServer): (req: Authenticated, res: express.Response) => Promise<void> {
  const open = new Map<string, { transport: NodeStreamableHTTPServerTransport; user: unknown }>();
  return async (req, res) => {
    const user = req.auth?.extra?.['sub'];
    const id = req.get('mcp-session-id');
    const session = id === undefined ? undefined : open.get(id);
    if (id !== undefined && session?.user !== user) {
      res.status(404).end();
      return;
    }
    let transport = session?.transport;
    if (transport === undefined) {
      transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: () => randomBytes(16).toString('base64url'),
        onsessioninitialized: (opened) => void open.set(opened, { transport: created, user }),
        onsessionclosed: (closed) => void open.delete(closed),
      });
      const created = transport;
      await createServer().connect(created);
    }
    await transport.handleRequest(req, res, req.body);
  };
}
