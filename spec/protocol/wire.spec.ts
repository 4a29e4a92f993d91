import { urlOf } from '../../lib/protocol/wire.js';

describe('urlOf', () => {
  it('reads a URL beyond ASCII as well the hundred-thousandth time as the first', () => {
    for (let time = 0; time < 100_000; time += 1) {
      if (urlOf('https://bücher.example') === undefined) throw new Error(`refused at call ${time}`);
    }
    expect(urlOf('https://bücher.example')?.href).toBe('https://xn--bcher-kva.example/');
  });

  it.each(['', 'no url', '//example.com', 'http://', 'http://a b'])('%j is none', (text) => {
    expect(urlOf(text)).toBeUndefined();
  });
});
