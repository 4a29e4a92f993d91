import { metrics, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { runFlows } from './flows.js';
import { observe } from './telemetry.js';

const spans = new InMemorySpanExporter();
const points = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const tracing = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
const measuring = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter: points })] });
trace.setGlobalTracerProvider(tracing);
metrics.setGlobalMeterProvider(measuring);

const stop = observe();
const { completed, refused } = await runFlows();
stop();
await tracing.forceFlush();
await measuring.forceFlush();

console.log(`The client got: ${completed}\nSomebody else got: ${refused}\n\nSpans:`);
for (const span of spans.getFinishedSpans()) {
  const { 'mrtr.round': round, 'mrtr.outcome': outcome, 'mrtr.questions': questions } = span.attributes;
  console.log(
    `  ${span.spanContext().traceId} ${span.name} round ${String(round)} ${String(outcome)} [${String(questions)}]`,
  );
}
console.log('\nMetrics:');
for (const { scopeMetrics } of points.getMetrics()) {
  for (const { descriptor, dataPoints } of scopeMetrics.flatMap((scope) => scope.metrics)) {
    for (const { attributes, value } of dataPoints) {
      const shown = typeof value === 'number' ? value : `${value.count} values`;
      console.log(`  ${descriptor.name} ${JSON.stringify(Object.values(attributes).slice(1))} ${shown}`);
    }
  }
}
await Promise.all([tracing.shutdown(), measuring.shutdown()]);
