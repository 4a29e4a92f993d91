import type { KeyObject } from 'node:crypto';
import express, { type Express } from 'express';
import { mrtr, type KeyMaterial, type MrtrHandler } from 'express-mrtr';
import { authenticate } from './auth.js';
import { Orders } from './orders.js';
import { complaintPrompt, invoiceResource } from './texts.js';
import { checkoutTool, refundTool } from './tools.js';

export interface ShopOptions {
  /** Verifies the users' tokens. */
  readonly tokenKey: KeyObject;
  /** Seals `requestState`; without it `MRTR_KEYS` does, or else a key of this process, with a warning. */
  readonly stateKey?: KeyMaterial;
}

export interface Shop {
  readonly app: Express;
  readonly mcp: MrtrHandler;
  readonly orders: Orders;
}

/** The shop's MCP server at `/mcp`, for its two customers. */
export function createShop({ tokenKey, stateKey }: ShopOptions): Shop {
  const orders = new Orders();
  const mcp = mrtr({
    server: { name: 'shop', version: '1.0.0', title: 'The shop' },
    tools: [refundTool(orders), checkoutTool(orders)],
    prompts: [complaintPrompt()],
    resources: [invoiceResource(orders)],
    ...(stateKey !== undefined && { keys: stateKey }),
  });
  const app = express();
  app.disable('x-powered-by');
  app.use('/mcp', authenticate(tokenKey), mcp);
  return { app, mcp, orders };
}
