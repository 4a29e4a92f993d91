import { parseOptions } from '../../bench/options.js';

describe('the options of the bench', () => {
  it('measure everything when none is given', () => {
    expect(parseOptions([])).toEqual({
      parts: ['flow', 'micro', 'memory', 'growth'],
      json: false,
      quick: false,
      warmUpSeconds: 3,
      runSeconds: 5,
      runs: 5,
    });
  });

  it('measure the flow in three runs of two seconds when it has to be quick', () => {
    expect(parseOptions(['--quick', '--json'])).toMatchObject({ parts: ['flow'], json: true, runSeconds: 2, runs: 3 });
  });

  it('choose parts, in the order of the bench', () => {
    expect(parseOptions(['--only', 'growth', '--only', 'micro']).parts).toEqual(['micro', 'growth']);
  });

  it.each([
    [['--only', 'all'], '--only takes flow, micro, memory, growth; got "all".'],
    [['--runs', '0'], '--runs takes a number from 1 to 50; got "0".'],
    [['--seconds', 'soon'], '--seconds takes a number from 0.1 to 60; got "soon".'],
    [['--warm-up', ''], '--warm-up takes a number from 0 to 60; got "".'],
  ])('refuse %j', (args, message) => {
    expect(() => parseOptions(args)).toThrow(message);
  });
});
