import { tryParseQuantity } from '../../machinery/quantity.ts'

/** A quantity as a number; 0 where it is none. */
export function quantityValue(text: string | number): number {
  const quantity = tryParseQuantity(String(text))
  return quantity === undefined ? 0 : Number(quantity.scaledValue(-3)) / 1000
}
