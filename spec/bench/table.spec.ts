import { formatNumber, renderTable } from '../../bench/table.js';

describe('formatNumber', () => {
  it.each([
    [12345, '12,345'],
    [12345.6, '12,346'],
    [123.456, '123'],
    [12.345, '12.3'],
    [1.2345, '1.23'],
    [0.012345, '0.0123'],
    [-1.2345, '-1.23'],
    [0, '0'],
    [Number.NaN, 'NaN'],
  ])('writes %d as %s', (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });
});

describe('renderTable', () => {
  it('puts text to the left, numbers to the right and nothing behind the last column', () => {
    const rows = [
      { server: 'bare', 'req/s': 5200, target: '' },
      { server: 'express-mrtr', 'req/s': 80, target: '>= 0.85' },
    ];
    expect(renderTable('the flow', rows).split('\n')).toEqual([
      'the flow',
      'server        req/s  target',
      '------------  -----  -------',
      'bare          5,200',
      'express-mrtr     80  >= 0.85',
    ]);
  });
});
