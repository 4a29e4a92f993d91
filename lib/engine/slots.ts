import { LedgerMismatchError, type MrtrError } from '../errors.js';
import type { InputRequest, JsonObject } from '../protocol/wire.js';
import { duplicateKey, duplicateQuestion, upFrontRefused } from './faults.js';
import { fingerprintOf } from './fingerprint.js';
import { entryWith, type Ledger, type LedgerEntry } from './ledger.js';
import { UNKEYED, unkeyedKey, type Question } from './question.js';

/** A ledger entry while a round runs. */
export interface Slot {
  entry: LedgerEntry;
  /** What goes out, once the question is open in this round. */
  request?: InputRequest;
  /** Whether this execution reached the question. */
  reached: boolean;
  /** Whether this request brought an answer to it. */
  readonly brought: boolean;
  /** Where the entry comes from: the ledger, this execution, or this execution in place of an answered one. */
  origin: 'ledger' | 'new' | 'replaced';
  /** Whether its answer came with a fresh call: good for this execution only. */
  transient: boolean;
}

export interface SlotsInput {
  readonly ledger: Omit<Ledger, 'steps'>;
  readonly answer: (key: string) => JsonObject | undefined;
  readonly fresh: boolean;
  /** Whether a question may take an answer that comes with a fresh call. */
  readonly upFront: boolean;
  readonly onLedgerMismatch: 'reask' | 'reject';
}

/** Finds for each question that the handler reaches its place in the ledger, or makes one. */
export class Slots {
  readonly #input: SlotsInput;
  readonly #all: Slot[] = [];
  readonly #keyed = new Map<string, Slot>();
  /** By kind and fingerprint: the slots of one question, and how often this execution reached it. */
  readonly #unkeyed = new Map<string, { readonly slots: Slot[]; reached: number }>();
  readonly #usedKeys = new Set<string>();
  #nextOrdinal: number;
  #reached = 0;

  constructor(input: SlotsInput) {
    this.#input = input;
    this.#nextOrdinal = input.ledger.nextOrdinal;
    for (const entry of input.ledger.entries) this.#add(this.#withAnswer(entry));
  }

  /** Answers that this request brought and that proved usable, or could not be looked at yet. */
  get answered(): number {
    return this.#all.filter(({ brought, entry }) => brought && entry.status !== 'open').length;
  }

  /** Answered questions that this execution did not reach. */
  get unconsumed(): Slot[] {
    return this.#all.filter(({ entry, reached }) => entry.status !== 'open' && !reached);
  }

  /**
   * Questions that stand open in the place of one that was answered. An answer of this very request is no sign of that
   * yet, where questions have no keys: the branch that asks for it may only be slower this time.
   */
  get changed(): Slot[] {
    const lost = this.#all.filter(({ entry, reached, brought }) => entry.status === 'unread' && !reached && !brought);
    return this.#all.filter(
      ({ entry, request, origin }) =>
        request !== undefined &&
        (origin === 'replaced' || (origin === 'new' && lost.some((other) => other.entry.kind === entry.kind))),
    );
  }

  /** Finds or makes the place of a question; throws what is a mistake of the handler. */
  reach(question: Question<unknown>): Slot {
    if (question.upFront && !this.#input.upFront) throw upFrontRefused();
    const fingerprint = fingerprintOf(question.kind + question.rendered);
    const slot =
      question.key === undefined
        ? this.#reachUnkeyed(question, fingerprint)
        : this.#reachKeyed(question, question.key, fingerprint);
    this.#reached += 1;
    slot.reached = true;
    return slot;
  }

  /**
   * What the next round needs. An open entry that this execution did not reach is not asked now, so it is left out:
   * no answer to it may be taken next time. Nor is a transient one kept, except where its place counts.
   */
  ledger(): Omit<Ledger, 'steps'> {
    const placed = this.#input.onLedgerMismatch === 'reject';
    const kept = this.#all.filter(({ entry, reached, transient }) =>
      entry.status === 'open' ? reached : !transient || placed,
    );
    const entries = kept.map(({ entry, transient }) => (transient ? entryWith(entry, 'open', null) : entry));
    return { entries, nextOrdinal: this.#nextOrdinal };
  }

  #withAnswer(entry: LedgerEntry): Slot {
    const answer = entry.status === 'open' ? this.#input.answer(entry.key) : undefined;
    return {
      entry: answer === undefined ? entry : entryWith(entry, 'unread', answer),
      reached: false,
      brought: answer !== undefined,
      origin: 'ledger',
      transient: false,
    };
  }

  #add(slot: Slot): Slot {
    const { key, kind, fingerprint } = slot.entry;
    this.#all.push(slot);
    if (UNKEYED.test(key)) {
      this.#same(kind + fingerprint).slots.push(slot);
    } else {
      this.#keyed.set(key, slot);
    }
    return slot;
  }

  #same(name: string): { readonly slots: Slot[]; reached: number } {
    let same = this.#unkeyed.get(name);
    if (same === undefined) this.#unkeyed.set(name, (same = { slots: [], reached: 0 }));
    return same;
  }

  #reachKeyed(question: Question<unknown>, key: string, fingerprint: string): Slot {
    if (this.#usedKeys.has(key)) throw duplicateKey(key);
    this.#usedKeys.add(key);
    const slot = this.#keyed.get(key);
    const fits = slot !== undefined && slot.entry.fingerprint === fingerprint && slot.entry.kind === question.kind;
    this.#checkOrder(fits ? slot : undefined, key);
    if (fits) return slot;
    const entry = openEntry(key, question, fingerprint);
    if (slot !== undefined) {
      if (slot.entry.status !== 'open') slot.origin = 'replaced';
      slot.entry = entry;
      return slot;
    }
    const answer = this.#input.fresh && question.upFront ? this.#input.answer(key) : undefined;
    if (answer === undefined) return this.#add(newSlot(entry));
    return this.#add({ ...newSlot(entryWith(entry, 'unread', answer)), transient: true });
  }

  #reachUnkeyed(question: Question<unknown>, fingerprint: string): Slot {
    const { kind } = question;
    const same = this.#same(kind + fingerprint);
    const slot = same.slots[same.reached++];
    this.#checkOrder(slot, kind);
    if (same.slots.some(({ entry, request }) => entry.status === 'open' && request !== undefined)) {
      throw duplicateQuestion(kind);
    }
    if (slot !== undefined) return slot;
    const entry = openEntry(unkeyedKey(kind, this.#nextOrdinal++), question, fingerprint);
    return this.#add(newSlot(entry));
  }

  /** `onLedgerMismatch: 'reject'`: the Nth question reached must be the Nth of the ledger. */
  #checkOrder(slot: Slot | undefined, actual: string): void {
    if (this.#input.onLedgerMismatch !== 'reject') return;
    const expected = this.#all[this.#reached];
    if (expected === undefined || expected === slot) return;
    throw mismatch(this.#reached + 1, expected, actual);
  }
}

function newSlot(entry: LedgerEntry): Slot {
  return { entry, reached: true, brought: false, origin: 'new', transient: false };
}

function openEntry(key: string, { kind }: Question<unknown>, fingerprint: string): LedgerEntry {
  return { key, kind, fingerprint, attempts: 0, status: 'open', answer: null };
}

function mismatch(ordinal: number, expected: Slot, actual: string): MrtrError {
  const { key } = expected.entry;
  return new LedgerMismatchError(ordinal, key, actual === key ? `${key} (changed)` : actual);
}
