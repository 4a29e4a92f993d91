import { EMPTY_LEDGER } from '../../lib/engine/ledger.js';
import { Round } from '../../lib/engine/engine.js';
import { contextOf } from '../../lib/hosts/context.js';
import { systemEnvironment } from '../../lib/hosts/environment.js';
import type { MrtrRequest } from '../../lib/hosts/express.js';

const round = new Round({
  ledger: EMPTY_LEDGER,
  answer: () => undefined,
  fresh: true,
  upFront: true,
  capabilities: {},
  onLedgerMismatch: 'reask',
  maxAttempts: 5,
  handlerTimeoutMs: 0,
  timers: systemEnvironment.timers,
  gone: () => false,
});

function made() {
  const controller = new AbortController();
  const signal = jest.fn(() => controller.signal);
  const context = contextOf({
    engine: round,
    req: { user: { id: 7 } } as unknown as MrtrRequest,
    principal: null,
    flowId: 'f',
    secret: 's',
    round: 1,
    clientInfo: undefined,
    capabilities: { roots: {} },
    protocolVersion: '2026-07-28',
    progressToken: undefined,
    logLevel: undefined,
    logger: 'shop',
    notify: () => undefined,
    signal,
  });
  return { context, signal, controller };
}

describe('the context of a call', () => {
  it('makes its signal when it is asked for, not before', () => {
    const { context, signal, controller } = made();
    expect(signal).not.toHaveBeenCalled();
    expect(context.signal).toBe(controller.signal);
  });

  it.each<[string, (context: object) => object]>([
    ['a copy', (context) => ({ ...context })],
    ['destructuring', ({ ...rest }) => rest],
    ['an object above it', (context) => Object.create(context) as object],
  ])('keeps everything in %s', (_title, derive) => {
    const { context, controller } = made();
    const derived = derive(context) as typeof context;
    expect(derived.signal).toBe(controller.signal);
    expect(derived.user).toEqual({ id: 7 });
    expect(derived.client.supports('roots')).toBe(true);
    const { idempotencyKey } = derived;
    expect(idempotencyKey('pay')).toBe(context.idempotencyKey('pay'));
  });

  it('keeps the signals of two calls apart', () => {
    const [first, second] = [made(), made()];
    expect(first.context.signal).toBe(first.controller.signal);
    expect(second.context.signal).toBe(second.controller.signal);
  });
});
