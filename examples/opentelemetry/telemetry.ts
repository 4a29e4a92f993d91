import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  context,
  metrics,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Meter,
  type Tracer,
} from '@opentelemetry/api';
import type { EventBase, MrtrEvents, RoundEvent } from 'express-mrtr';

export interface TelemetryOptions {
  readonly tracer?: Tracer;
  readonly meter?: Meter;
}

const NAME = 'express-mrtr';
// People answer in seconds to hours; the default buckets end at ten seconds.
const ANSWER_BUCKETS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];

/** Turns the events of express-mrtr into spans and metrics, until the returned function is called. */
export function observe(options: TelemetryOptions = {}): () => void {
  const { tracer = trace.getTracer(NAME), meter = metrics.getMeter(NAME) } = options;
  const count = instruments(meter);
  const stops = [
    listen('mrtr:round', (event) => {
      roundSpan(tracer, event);
      const { outcome, durationMs, answerMs, answered } = event;
      const attributes = named(event);
      count.rounds.add(1, { ...attributes, 'mrtr.outcome': outcome });
      count.duration.record(durationMs / 1000, { ...attributes, 'mrtr.outcome': outcome });
      if (answerMs !== undefined && answered > 0) count.answering.record(answerMs / 1000, attributes);
      if (outcome === 'input_required' && answerMs === undefined) count.asked.add(1, attributes);
      if (answerMs !== undefined && (outcome === 'complete' || outcome === 'failed')) count.finished.add(1, attributes);
    }),
    listen('mrtr:refused', (event) => count.refusals.add(1, { ...named(event), 'mrtr.reason': event.reason })),
    listen('mrtr:warning', (event) => count.warnings.add(1, { ...named(event), 'mrtr.warning': event.warning })),
    listen('mrtr:error', (event) => {
      count.errors.add(1, { ...named(event), 'mrtr.code': event.code, 'error.type': event.errorClass ?? 'unknown' });
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Flows that were asked something and never finished are the difference of `mrtr.flows.asked` and `mrtr.flows.finished`. */
function instruments(meter: Meter) {
  return {
    rounds: meter.createCounter('mrtr.rounds', { description: 'Rounds by outcome' }),
    refusals: meter.createCounter('mrtr.refusals', { description: 'Refused requests by reason' }),
    warnings: meter.createCounter('mrtr.warnings', { description: 'Handlers that invite trouble' }),
    errors: meter.createCounter('mrtr.errors', { description: 'Faults of the server by code' }),
    asked: meter.createCounter('mrtr.flows.asked', { description: 'Flows whose first round asked for input' }),
    finished: meter.createCounter('mrtr.flows.finished', { description: 'Of these, flows that came to an end' }),
    duration: meter.createHistogram('mrtr.round.duration', { unit: 's', description: 'Time to serve a round' }),
    answering: meter.createHistogram('mrtr.answer.duration', {
      unit: 's',
      description: 'Time from a question to its answer',
      advice: { explicitBucketBoundaries: ANSWER_BUCKETS },
    }),
  };
}

// #region spans
/**
 * The parent of all rounds of a flow, computed from its id: whichever node serves a round puts it into the same trace, and
 * none has to remember anything. Nobody ever records this span itself.
 */
export function flowContext(flowId: string): Context {
  const hash = createHash('sha256').update(`mrtr flow ${flowId}`).digest('hex');
  const [traceId, spanId] = [hash.slice(0, 32), hash.slice(32, 48)];
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true });
}

/** One round as a span that is over already: the event comes when the reply has been given. */
function roundSpan(tracer: Tracer, event: RoundEvent): void {
  const { flowId, round, outcome, durationMs, answered, questions, stateBytes } = event;
  const end = Date.now();
  // The span of the HTTP request belongs to another trace, the client's.
  const request = trace.getSpanContext(context.active());
  const span = tracer.startSpan(
    `${event.method} ${event.target}`,
    {
      startTime: end - durationMs,
      ...(request !== undefined && { links: [{ context: request }] }),
      attributes: {
        ...named(event),
        'mrtr.flow_id': flowId,
        'mrtr.round': round,
        'mrtr.outcome': outcome,
        'mrtr.answered': answered,
        'mrtr.questions': questions.map(({ key }) => key),
        ...(stateBytes !== undefined && { 'mrtr.state_bytes': stateBytes }),
      },
    },
    flowContext(flowId),
  );
  if (outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(end);
}
// #endregion

/** What metrics may be split by: names of the server's own, so their number is bounded. A flow id would not be. */
function named({ method, target }: EventBase): Record<string, string> {
  return { 'mcp.method.name': method, 'mrtr.target': target };
}

// #region listen
function listen<Name extends keyof MrtrEvents>(name: Name, listener: (event: MrtrEvents[Name]) => void): () => void {
  const onMessage = (message: unknown): void => listener(message as MrtrEvents[Name]);
  subscribe(name, onMessage);
  return () => unsubscribe(name, onMessage);
}
// #endregion
