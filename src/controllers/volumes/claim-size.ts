import { Quantity, tryParseQuantity } from '../../machinery/quantity.ts'

type Amount = string | number | undefined

/** Compares quantities; a missing one counts as zero. Negative: the first is smaller. */
export const compareQuantities = (a: Amount, b: Amount): number => read(a).compare(read(b))

const read = (amount: Amount): Quantity => tryParseQuantity(String(amount ?? '0')) ?? Quantity.zero
