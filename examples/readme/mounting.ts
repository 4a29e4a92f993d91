import express, { type Express, type RequestHandler } from 'express';
import { mrtr, mrtrErrors, type MrtrHandler, type MrtrOptions } from 'express-mrtr';

/** An app that parses bodies before the MCP server sees them. */
export function behindParser(options: MrtrOptions, authenticate: RequestHandler): Express {
  const app = express();
  // #region parser
  const mcp = mrtr(options);
  app.use(express.json());
  app.use('/mcp', authenticate, mcp);
  app.use('/mcp', mrtrErrors()); // a body that express.json() refused becomes a JSON-RPC error
  // #endregion
  return app;
}

/** Two tenants may have a user of the same id. */
export function perTenant(options: MrtrOptions): MrtrHandler {
  const { server, tools = [] } = options;
  // #region principal
  const mcp = mrtr({
    server,
    tools,
    principal(req) {
      const user = req.user as { id: string; tenant: string } | undefined;
      return user === undefined ? null : { issuer: user.tenant, subject: user.id };
    },
  });
  // #endregion
  return mcp;
}
