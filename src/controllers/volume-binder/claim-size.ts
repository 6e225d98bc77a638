import { Quantity, tryParseQuantity } from '../../machinery/quantity.ts'

/** Amounts as objects say them; none counts as zero. Negative: the first is the smaller one. */
export const compareQuantities = (a: string | undefined, b: string | undefined): number => read(a).compare(read(b))

const read = (text: string | undefined): Quantity => tryParseQuantity(text ?? '0') ?? Quantity.zero
