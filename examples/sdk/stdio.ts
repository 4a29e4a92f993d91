import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { shop } from './tools.js';

// Clients of this revision and of earlier ones: npx tsx examples/sdk/stdio.ts
serveStdio(shop());
