import fc from 'fast-check';
import type { Claim, ReplayStore } from '../../lib/stores/store.js';

/** One step of a history. Holders are numbered; a name stands for an id or a digest. */
export type Step =
  | {
      readonly do: 'claim';
      readonly by: number;
      readonly id: string;
      readonly digest: string;
      readonly leaseMs: number;
    }
  | { readonly do: 'settle' | 'release'; readonly by: number; readonly id: string }
  | { readonly do: 'pass'; readonly ms: number };

interface Record {
  readonly digest: string;
  readonly holder: number;
  readonly leaseEnd: number;
  readonly end: number;
  readonly reply: string | null;
}

/** The rules of a replay store, as plainly as they can be written down. */
export class StoreModel {
  readonly #lifetimeMs: number;
  #records: ReadonlyMap<string, Record> = new Map();
  #time = 0;

  constructor(lifetimeMs: number) {
    this.#lifetimeMs = lifetimeMs;
  }

  claim(by: number, id: string, digest: string, leaseMs: number): Claim {
    const record = this.#records.get(id);
    if (record === undefined || (record.reply === null && record.leaseEnd <= this.#time)) {
      const end = this.#time + Math.max(this.#lifetimeMs, leaseMs);
      this.#put(id, { digest, holder: by, leaseEnd: this.#time + leaseMs, end, reply: null });
      return { kind: 'claimed' };
    }
    if (record.digest !== digest) return { kind: 'conflict' };
    return record.reply === null ? { kind: 'in_flight' } : { kind: 'done', reply: record.reply };
  }

  settle(by: number, id: string, reply: string): void {
    const record = this.#records.get(id);
    if (record?.holder === by && record.reply === null) this.#put(id, { ...record, reply });
  }

  release(by: number, id: string): void {
    const record = this.#records.get(id);
    if (record?.holder === by && record.reply === null) this.#put(id, undefined);
  }

  pass(ms: number): void {
    this.#time += ms;
    this.#records = new Map([...this.#records].filter(([, { end }]) => end >= this.#time));
  }

  get size(): number {
    return this.#records.size;
  }

  #put(id: string, record: Record | undefined): void {
    const others = [...this.#records].filter(([other]) => other !== id);
    this.#records = new Map(record === undefined ? others : [...others, [id, record]]);
  }
}

/** Histories of the given holders. */
export function histories(holders: number, leases: readonly number[], passes: readonly number[]): fc.Arbitrary<Step[]> {
  const by = fc.nat({ max: holders - 1 });
  const id = fc.constantFrom('one', 'two');
  const claim = fc.record({
    do: fc.constant('claim' as const),
    by,
    id,
    digest: fc.constantFrom('yes', 'no'),
    leaseMs: fc.constantFrom(...leases),
  });
  const finish = fc.record({ do: fc.constantFrom('settle' as const, 'release' as const), by, id });
  const pass = fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(...passes) });
  return fc.array(fc.oneof({ weight: 3, arbitrary: claim }, { weight: 2, arbitrary: finish }, pass), { maxLength: 40 });
}

/** What histories take place in. */
export interface World {
  /** One store a holder. */
  readonly stores: readonly ReplayStore[];
  readonly lifetimeMs: number;
  readonly now: () => number;
  readonly pass: (ms: number) => void | Promise<void>;
  /** What the stores call an id, where they outlive a history. */
  readonly nameOf?: (id: string) => string;
}

/** Lives through a history with stores and with the model, which must give the same answers. */
export async function agree(steps: readonly Step[], world: World): Promise<StoreModel> {
  const { stores, lifetimeMs, now, pass, nameOf = (id: string) => id } = world;
  const model = new StoreModel(lifetimeMs);
  for (const [at, step] of steps.entries()) {
    if (step.do === 'pass') {
      await pass(step.ms);
      model.pass(step.ms);
      continue;
    }
    const store = stores[step.by] as ReplayStore;
    const id = nameOf(step.id);
    switch (step.do) {
      case 'claim': {
        const claim = await store.claim(id, step.digest, step.leaseMs, now() + lifetimeMs);
        expect({ at, claim }).toEqual({ at, claim: model.claim(step.by, step.id, step.digest, step.leaseMs) });
        break;
      }
      case 'settle':
        await store.settle(id, `reply ${at}`);
        model.settle(step.by, step.id, `reply ${at}`);
        break;
      case 'release':
        await store.release(id);
        model.release(step.by, step.id);
        break;
    }
  }
  return model;
}
