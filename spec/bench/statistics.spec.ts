import { median, percentile, ratio, spread } from '../../bench/statistics.js';

describe('median', () => {
  it('is the value in the middle, whatever the order', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([10, 9, 100])).toBe(10);
  });

  it('is the mean of the two in the middle of an even number of values', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  it('leaves the values in their order', () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });

  it('refuses no values', () => {
    expect(() => median([])).toThrow('There is no statistic of no values.');
  });
});

describe('percentile', () => {
  it('is the least value that the share of the values does not exceed', () => {
    const values = Array.from({ length: 200 }, (_, index) => 200 - index);
    expect(percentile(values, 0.99)).toBe(198);
    expect(percentile(values, 0.5)).toBe(100);
    expect(percentile(values, 1)).toBe(200);
    expect(percentile(values, 0)).toBe(1);
  });
});

describe('spread', () => {
  it('is the median between the least and the greatest value', () => {
    expect(spread([5, 20, 7])).toEqual({ median: 7, min: 5, max: 20 });
  });
});

describe('ratio', () => {
  it('divides the medians, and spreads over runs that were neighbours', () => {
    expect(ratio([10, 20, 60], [10, 10, 20])).toEqual({ median: 2, min: 1, max: 3 });
  });

  it('refuses runs that have no neighbour', () => {
    expect(() => ratio([1, 2], [1])).toThrow('Runs come in pairs; there are 2 and 1.');
  });
});
