/** One of the apps that the suite runs against. */
export interface Variant {
  /** The package that holds this version of Express. */
  readonly express: 'express' | 'express4';
  /** Whether the body was already read by `express.json()`. */
  readonly parser: 'json' | 'none';
}

export const variants: readonly Variant[] = [
  { express: 'express4', parser: 'none' },
  { express: 'express4', parser: 'json' },
  { express: 'express', parser: 'none' },
  { express: 'express', parser: 'json' },
];

/** The variant that a command line names, as in `express4 json`. */
export function variantOf([express, parser]: readonly string[]): Variant {
  const found = variants.find((variant) => variant.express === express && variant.parser === parser);
  if (found !== undefined) return found;
  throw new TypeError('Name a variant: express4 or express, then json or none.');
}

export function nameOf({ express, parser }: Variant): string {
  return `Express ${express === 'express4' ? '4' : '5'} ${parser === 'json' ? 'behind' : 'without'} express.json()`;
}
