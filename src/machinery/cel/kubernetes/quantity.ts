import { parseQuantity, Quantity, QuantityError } from '../../quantity.ts'
import type { Library } from '../environment.ts'
import { member, overload } from '../standard/declare.ts'
import { BOOL, DOUBLE, INT, STRING, structure } from '../types.ts'
import { CelError, type Opaque, type Value } from '../values.ts'

const QUANTITY = structure('kubernetes.Quantity')

class QuantityValue implements Opaque {
  readonly celType = 'kubernetes.Quantity'
  readonly quantity: Quantity
  constructor(quantity: Quantity) {
    this.quantity = quantity
  }
  equals(other: Value): boolean {
    return other instanceof QuantityValue && this.quantity.equals(other.quantity)
  }
  toString(): string {
    return this.quantity.toString()
  }
}

function parse(text: string): QuantityValue {
  try {
    return new QuantityValue(parseQuantity(text))
  } catch (error) {
    if (error instanceof QuantityError) throw new CelError(error.message)
    throw error
  }
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text)
    return true
  } catch {
    return false
  }
}

const isInteger = (q: Quantity) => Quantity.of(q.scaledValue(0)).equals(q) && q.scaledValue(0) < 2n ** 63n - 1n
const compare = (a: QuantityValue, b: QuantityValue) => a.quantity.compare(b.quantity)
const sum = (a: QuantityValue, b: Quantity) => new QuantityValue(a.quantity.add(b))

/** `quantity`, `isQuantity` and the methods of quantities. */
export const QUANTITIES: Library = {
  functions: {
    quantity: [overload('string_to_quantity', [STRING], QUANTITY, parse)],
    isQuantity: [overload('is_quantity_string', [STRING], BOOL, isQuantity)],
    sign: [overload('quantity_sign', [QUANTITY], INT, (q: QuantityValue) => BigInt(q.quantity.sign()))],
    isInteger: [member('quantity_is_integer', [QUANTITY], BOOL, (q: QuantityValue) => isInteger(q.quantity))],
    asInteger: [
      member('quantity_as_integer', [QUANTITY], INT, (q: QuantityValue) => {
        if (!isInteger(q.quantity)) throw new CelError('cannot convert value to integer')
        return q.quantity.scaledValue(0)
      }),
    ],
    asApproximateFloat: [member('quantity_as_float', [QUANTITY], DOUBLE, (q: QuantityValue) => q.quantity.toNumber())],
    add: [
      member('quantity_add', [QUANTITY, QUANTITY], QUANTITY, (a: QuantityValue, b: QuantityValue) => sum(a, b.quantity)),
      member('quantity_add_int', [QUANTITY, INT], QUANTITY, (a: QuantityValue, b: bigint) => sum(a, Quantity.of(b))),
    ],
    sub: [
      member(
        'quantity_sub',
        [QUANTITY, QUANTITY],
        QUANTITY,
        (a: QuantityValue, b: QuantityValue) => new QuantityValue(a.quantity.sub(b.quantity)),
      ),
      member(
        'quantity_sub_int',
        [QUANTITY, INT],
        QUANTITY,
        (a: QuantityValue, b: bigint) => new QuantityValue(a.quantity.sub(Quantity.of(b))),
      ),
    ],
    isLessThan: [member('quantity_is_less_than', [QUANTITY, QUANTITY], BOOL, (a: QuantityValue, b: QuantityValue) => compare(a, b) < 0)],
    isGreaterThan: [
      member('quantity_is_greater_than', [QUANTITY, QUANTITY], BOOL, (a: QuantityValue, b: QuantityValue) => compare(a, b) > 0),
    ],
    compareTo: [member('quantity_compare_to', [QUANTITY, QUANTITY], INT, (a: QuantityValue, b: QuantityValue) => BigInt(compare(a, b)))],
  },
}
