import { tryParseQuantity } from '../../machinery/quantity.ts'

/** The value of a quantity; 0 if it is invalid. */
export function quantityValue(text: string | number): number {
  const quantity = tryParseQuantity(String(text))
  return quantity === undefined ? 0 : Number(quantity.scaledValue(-3)) / 1000
}
