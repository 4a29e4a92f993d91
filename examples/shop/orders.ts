export interface Order {
  readonly id: string;
  /** The id of the user who ordered. */
  readonly customer: string;
  readonly item: string;
  /** In euros. */
  readonly total: number;
  refunded: number;
}

/** The shop's database. Everything in it is asynchronous, as it would be. */
export class Orders {
  readonly #orders = new Map<string, Order>([
    ['A-1', { id: 'A-1', customer: 'ann', item: 'a bicycle bell', total: 12, refunded: 0 }],
    ['B-1', { id: 'B-1', customer: 'bob', item: 'a saddle', total: 80, refunded: 0 }],
  ]);

  readonly #placed = new Map<string, Order>();

  /** The order, if it is the customer's. */
  find(customer: string, id: string): Promise<Order | undefined> {
    const order = this.#orders.get(id);
    return Promise.resolve(order?.customer === customer ? order : undefined);
  }

  /** Orders once for each key: whoever comes with the key of an earlier order gets that one. */
  place(customer: string, item: string, total: number, idempotencyKey: string): Promise<Order> {
    const placed = this.#placed.get(idempotencyKey);
    if (placed !== undefined) return Promise.resolve(placed);
    const order = { id: `N-${this.#orders.size + 1}`, customer, item, total, refunded: 0 };
    this.#orders.set(order.id, order);
    this.#placed.set(idempotencyKey, order);
    return Promise.resolve(order);
  }

  /** Pays back once: `false` when the order was refunded before, however often and from wherever it is called. */
  refund(id: string, amount: number): Promise<boolean> {
    const order = this.#orders.get(id);
    if (order === undefined || order.refunded > 0) return Promise.resolve(false);
    order.refunded = amount;
    return Promise.resolve(true);
  }
}
