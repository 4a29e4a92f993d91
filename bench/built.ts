import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Context from '../lib/engine/context.js';
import type * as Engine from '../lib/engine/engine.js';
import type * as Ledger from '../lib/engine/ledger.js';
import type * as Timers from '../lib/engine/timers.js';
import type * as Events from '../lib/events.js';
import type * as State from '../lib/hosts/state.js';
import type * as Index from '../lib/index.js';
import type * as Codec from '../lib/seal/codec.js';
import type * as Keyring from '../lib/seal/keyring.js';

interface Modules {
  readonly index: typeof Index;
  readonly events: typeof Events;
  readonly 'engine/context': typeof Context;
  readonly 'engine/engine': typeof Engine;
  readonly 'engine/ledger': typeof Ledger;
  readonly 'engine/timers': typeof Timers;
  readonly 'hosts/state': typeof State;
  readonly 'seal/codec': typeof Codec;
  readonly 'seal/keyring': typeof Keyring;
}

/** A module of the build: what is measured is what is published, with the types of its source. */
export async function built<Name extends keyof Modules>(name: Name): Promise<Modules[Name]> {
  const url = pathToFileURL(join(process.cwd(), 'dist', 'esm', `${name}.js`));
  return (await import(url.href)) as Modules[Name];
}
