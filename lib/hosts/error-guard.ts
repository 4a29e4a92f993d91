import { ProtocolError, type McpServer } from '@modelcontextprotocol/server';
import type { Fault } from '../protocol/wire.js';

type Handler = (...params: unknown[]) => unknown;

/**
 * Keeps what completers and lists throw from the wire: the SDK would send an error's message as it is. Must come before
 * any capability or callback is registered.
 *
 * @param tell - takes the error, says what goes out in its place
 */
export function guardErrors({ server }: McpServer, tell: (method: string, error: unknown) => Fault): void {
  const register = server.setRequestHandler.bind(server) as (method: string, ...rest: unknown[]) => void;
  const guarded = (method: string, ...rest: unknown[]): void => {
    const handler = rest.pop() as Handler;
    register(method, ...rest, async (...params: unknown[]) => {
      try {
        return await handler(...params);
      } catch (error) {
        if (error instanceof ProtocolError) throw error;
        const { code, message } = tell(method, error);
        throw new ProtocolError(code, message);
      }
    });
  };
  server.setRequestHandler = guarded;
}
