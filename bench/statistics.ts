/** The middle of the values; of an even number of them the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = ordered(values);
  const upper = sorted.length >> 1;
  const high = at(sorted, upper);
  return sorted.length % 2 === 1 ? high : (at(sorted, upper - 1) + high) / 2;
}

/** The least value that at least `share` (0 to 1) of the values do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = ordered(values);
  return at(sorted, Math.max(0, Math.ceil(share * sorted.length) - 1));
}

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spread(values: readonly number[]): Spread {
  const sorted = ordered(values);
  return { median: median(sorted), min: at(sorted, 0), max: at(sorted, sorted.length - 1) };
}

/**
 * The ratio of two medians, and the least and greatest ratio of two runs that were neighbours: what disturbs the machine for a
 * while disturbs both of them.
 */
export function ratio(of: readonly number[], to: readonly number[]): Spread {
  if (of.length !== to.length) throw new RangeError(`Runs come in pairs; there are ${of.length} and ${to.length}.`);
  const { min, max } = spread(of.map((value, index) => value / at(to, index)));
  return { median: median(of) / median(to), min, max };
}

function ordered(values: readonly number[]): readonly number[] {
  return Float64Array.from(values).sort() as unknown as readonly number[];
}

function at(values: readonly number[], index: number): number {
  const value = values[index];
  if (value === undefined) throw new RangeError('There is no statistic of no values.');
  return value;
}
