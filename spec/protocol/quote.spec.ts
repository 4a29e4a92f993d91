import fc from 'fast-check';
import { quote } from '../../lib/protocol/quote.js';

describe('quote', () => {
  it('puts text in quotes', () => {
    expect(quote('a "b"')).toBe('"a \\"b\\""');
  });

  it('takes out controls, bidirectional overrides, line separators and lone surrogates', () => {
    expect(quote('a\r\n\u001b[31m\u0085\u202e\u2028\ud800b')).toBe('"a[31mb"');
  });

  it('shows 100 characters and marks the cut', () => {
    expect(quote('x'.repeat(100))).toBe(`"${'x'.repeat(100)}"`);
    expect(quote('x'.repeat(1_000_000))).toBe(`"${'x'.repeat(100)}…"`);
  });

  it('never lets a control character through', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(quote(text)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});
