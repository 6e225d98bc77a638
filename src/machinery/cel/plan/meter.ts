/** What a program has cost; shared by the programs of one request when they have one budget. */
export interface Meter {
  spent: number
  readonly limit: number
}

/** The budget is used up. */
export class CostError extends Error {
  override readonly name = 'CostError'
  constructor() {
    super('operation cancelled: actual cost limit exceeded')
  }
}

/** Adds to what has been spent. */
export function spend(meter: Meter, cost: number): void {
  meter.spent += cost
  if (meter.spent > meter.limit) throw new CostError()
}
