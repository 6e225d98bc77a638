/** The cost spent by a program; programs of one request share it if they have one budget. */
export interface Meter {
  spent: number
  readonly limit: number
}

/** The budget is exceeded. */
export class CostError extends Error {
  override readonly name = 'CostError'
  constructor() {
    super('operation cancelled: actual cost limit exceeded')
  }
}

/** Adds to the spent cost. */
export function spend(meter: Meter, cost: number): void {
  meter.spent += cost
  if (meter.spent > meter.limit) throw new CostError()
}
