import { channel } from 'node:diagnostics_channel';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { context, ROOT_CONTEXT, SpanStatusCode, trace, type Attributes } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import { runFlows } from '../../examples/opentelemetry/flows.js';
import { flowContext, observe } from '../../examples/opentelemetry/telemetry.js';
import type { MrtrEvents } from '../../lib/events.js';

const CALL = { 'mcp.method.name': 'tools/call', 'mrtr.target': 'book' };
const EVENT = { method: 'tools/call', target: 'book', flowId: 'flow-a', round: 1 };
const ROUND = { ...EVENT, outcome: 'complete', durationMs: 40, answered: 0, questions: [] } as const;

interface Observed {
  readonly spans: readonly ReadableSpan[];
  /** Data points by the instrument's name: what they are split by, and a number or a histogram's count and sum. */
  readonly metrics: Readonly<Record<string, readonly (readonly [Attributes, unknown])[]>>;
}

/** What the example records of the events of `work`. */
async function observed(work: () => unknown): Promise<Observed> {
  const spans = new InMemorySpanExporter();
  const points = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const tracing = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const measuring = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter: points })] });
  const stop = observe({ tracer: tracing.getTracer('spec'), meter: measuring.getMeter('spec') });
  try {
    await work();
  } finally {
    stop();
  }
  await Promise.all([tracing.forceFlush(), measuring.forceFlush()]);
  const metrics = points
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
    .map(({ descriptor, dataPoints }) => [
      descriptor.name,
      dataPoints.map(({ attributes, value }) => [
        attributes,
        typeof value === 'number' ? value : { count: value.count, sum: value.sum },
      ]),
    ]);
  const result = { spans: spans.getFinishedSpans(), metrics: Object.fromEntries(metrics) as Observed['metrics'] };
  await Promise.all([tracing.shutdown(), measuring.shutdown()]);
  return result;
}

function emit<Name extends keyof MrtrEvents>(name: Name, event: MrtrEvents[Name]): void {
  channel(name).publish(event);
}

describe('the OpenTelemetry example', () => {
  it('puts the rounds of one flow into one trace, in order, and another flow into another', async () => {
    const { spans } = await observed(runFlows);
    const [one, two, three, other] = spans;
    expect(spans).toHaveLength(4);
    expect(spans.map(({ attributes }) => [attributes['mrtr.round'], attributes['mrtr.outcome']])).toEqual([
      [1, 'input_required'],
      [2, 'input_required'],
      [3, 'complete'],
      [1, 'input_required'],
    ]);
    expect(new Set([one, two, three].map((span) => span?.spanContext().traceId)).size).toBe(1);
    expect(new Set([one, two, three].map((span) => span?.parentSpanContext?.spanId)).size).toBe(1);
    expect(new Set(spans.map((span) => span.spanContext().spanId)).size).toBe(4);
    expect(other?.spanContext().traceId).not.toBe(one?.spanContext().traceId);
    expect(one?.attributes).toEqual({
      ...CALL,
      'mrtr.flow_id': expect.stringMatching(/^[\w-]{22}$/),
      'mrtr.round': 1,
      'mrtr.outcome': 'input_required',
      'mrtr.answered': 0,
      'mrtr.questions': ['where'],
      'mrtr.state_bytes': expect.any(Number),
    });
  });

  it('counts rounds by outcome, refusals by reason, and flows that were asked and that finished', async () => {
    const { metrics } = await observed(runFlows);
    expect(metrics).toEqual({
      'mrtr.rounds': [
        [{ ...CALL, 'mrtr.outcome': 'input_required' }, 3],
        [{ ...CALL, 'mrtr.outcome': 'complete' }, 1],
      ],
      'mrtr.refusals': [[{ ...CALL, 'mrtr.reason': 'ERR_MRTR_STATE_UNVERIFIED' }, 1]],
      'mrtr.flows.asked': [[CALL, 2]],
      'mrtr.flows.finished': [[CALL, 1]],
      'mrtr.round.duration': [
        [
          { ...CALL, 'mrtr.outcome': 'input_required' },
          { count: 3, sum: expect.any(Number) },
        ],
        [
          { ...CALL, 'mrtr.outcome': 'complete' },
          { count: 1, sum: expect.any(Number) },
        ],
      ],
      'mrtr.answer.duration': [[CALL, { count: 2, sum: expect.any(Number) }]],
    });
  });

  it('records nothing that a person wrote or read', async () => {
    const { spans, metrics } = await observed(runFlows);
    const recorded = JSON.stringify([spans.map(({ name, attributes, events }) => [name, attributes, events]), metrics]);
    expect(recorded).toContain('where');
    for (const secret of ['Lisbon', 'Ann', 'ann', 'bob', 'Where do you', 'mrtr1.', 'mrtrk_']) {
      expect(recorded).not.toContain(secret);
    }
  });

  it('measures answers in seconds, once each, and neither polls nor repeats', async () => {
    const { metrics } = await observed(() => {
      emit('mrtr:round', { ...ROUND, round: 2, answerMs: 90_000, answered: 1 });
      emit('mrtr:round', { ...ROUND, outcome: 'input_required', answerMs: 5000 });
      emit('mrtr:round', { ...ROUND, round: 2, outcome: 'repeated', answerMs: 95_000 });
      emit('mrtr:round', { ...ROUND, round: 2, outcome: 'failed', answerMs: 96_000 });
      emit('mrtr:round', ROUND);
    });
    expect(metrics['mrtr.answer.duration']).toEqual([[CALL, { count: 1, sum: 90 }]]);
    expect(metrics['mrtr.flows.finished']).toEqual([[CALL, 2]]);
    expect(metrics['mrtr.flows.asked']).toBeUndefined();
    expect(metrics['mrtr.round.duration']?.[0]).toEqual([
      { ...CALL, 'mrtr.outcome': 'complete' },
      { count: 2, sum: 0.08 },
    ]);
  });

  it('marks a failed round, dates a round back by its duration, and counts faults and warnings', async () => {
    const before = Date.now();
    const { spans, metrics } = await observed(() => {
      emit('mrtr:round', { ...ROUND, outcome: 'failed' });
      emit('mrtr:error', { ...EVENT, code: 'ERR_MRTR_HANDLER', errorClass: 'RangeError' });
      emit('mrtr:error', { method: 'other', target: '', code: 'ERR_MRTR_PRINCIPAL' });
      emit('mrtr:warning', { ...EVENT, warning: 'slow_unwind', questions: [], advice: '' });
    });
    expect(spans.map(({ status }) => status.code)).toEqual([SpanStatusCode.ERROR]);
    expect(spans[0]?.duration).toEqual([0, 40_000_000]);
    const [seconds = 0, nanoseconds = 0] = spans[0]?.endTime ?? [];
    expect(seconds * 1000 + nanoseconds / 1e6).toBeGreaterThanOrEqual(before);
    expect(metrics['mrtr.errors']).toEqual([
      [{ ...CALL, 'mrtr.code': 'ERR_MRTR_HANDLER', 'error.type': 'RangeError' }, 1],
      [
        { 'mcp.method.name': 'other', 'mrtr.target': '', 'mrtr.code': 'ERR_MRTR_PRINCIPAL', 'error.type': 'unknown' },
        1,
      ],
    ]);
    expect(metrics['mrtr.warnings']).toEqual([[{ ...CALL, 'mrtr.warning': 'slow_unwind' }, 1]]);
  });

  it('finds the trace of a flow by its id alone, so that nodes agree', () => {
    const parent = (flowId: string) => trace.getSpanContext(flowContext(flowId));
    expect(parent('flow-a')).toEqual({
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      traceFlags: 1,
      isRemote: true,
    });
    expect(parent('flow-a')).toEqual(parent('flow-a'));
    expect(parent('flow-b')?.traceId).not.toBe(parent('flow-a')?.traceId);
  });

  it('links a round to the request that brought it', async () => {
    const request = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 };
    const manager = {
      active: () => trace.setSpanContext(ROOT_CONTEXT, request),
      // The SDK runs its exporters through it.
      with: ((_active: unknown, work: () => unknown) => work()) as never,
      bind: ((_active: unknown, work: unknown) => work) as never,
      enable: jest.fn(),
      disable: jest.fn(),
    };
    expect(context.setGlobalContextManager(manager)).toBe(true);
    try {
      const { spans } = await observed(() => emit('mrtr:round', ROUND));
      expect(spans[0]?.links.map((link) => link.context)).toEqual([request]);
      expect(spans[0]?.spanContext().traceId).not.toBe(request.traceId);
    } finally {
      context.disable();
    }
  });

  it('records nothing once it was stopped', async () => {
    const { spans } = await observed(() => undefined);
    emit('mrtr:round', ROUND);
    expect(spans).toEqual([]);
    expect(channel('mrtr:round').hasSubscribers).toBe(false);
  });

  it('runs, and shows what it recorded', async () => {
    const main = ['--import', 'tsx', 'examples/opentelemetry/main.ts'];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, main, { cwd: join(__dirname, '../..') });
    expect(stderr).toBe('');
    expect(stdout).toContain('The client got: Booked for Ann, to Lisbon.');
    expect(stdout).toMatch(
      /^ {2}([0-9a-f]{32}) .* round 1 .*\n {2}\1 .* round 2 .*\n {2}\1 .* round 3 complete \[\]$/m,
    );
    expect(stdout).toContain('  mrtr.refusals ["book","ERR_MRTR_STATE_UNVERIFIED"] 1\n');
  });
});
