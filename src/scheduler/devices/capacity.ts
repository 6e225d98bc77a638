import { parseQuantity, Quantity } from '../../machinery/quantity.ts'
import type { CapacityRequestPolicy, Device, DeviceCapacity, ExactDeviceRequest } from '../../resources/types/resource.ts'

/** Amounts by the name of the capacity. */
export type Consumed = ReadonlyMap<string, Quantity>

const NOTHING: Consumed = new Map()

/**
 * What a request consumes of each capacity of a device (KEP-5075): the requested amount, rounded up by the device's policy; without a
 * request the policy's default, or all of it. Undefined: it requests a capacity that the device lacks, or more than the policy allows.
 */
export function consumptionOf(request: ExactDeviceRequest, device: Device): Consumed | undefined {
  const wanted = request.capacity?.requests ?? {}
  const capacity = device.capacity ?? {}
  if (Object.keys(wanted).some((name) => !Object.hasOwn(capacity, name))) return undefined
  const names = Object.keys(capacity)
  if (names.length === 0) return NOTHING
  const consumed = new Map<string, Quantity>()
  for (const name of names) {
    const of = capacity[name]
    if (of === undefined) continue
    const amount = amountOf(wanted[name], of)
    if (amount.compare(parseQuantity(of.value)) > 0 || breaks(amount, of.requestPolicy)) return undefined
    consumed.set(name, amount)
  }
  return consumed
}

/** Whether the amounts are left of a device of which `used` is taken. */
export function isLeft(consumed: Consumed, used: Consumed, device: Device): boolean {
  for (const [name, amount] of consumed) {
    const limit = device.capacity?.[name]
    if (limit === undefined) continue
    const taken = used.get(name)
    if ((taken === undefined ? amount : amount.add(taken)).compare(parseQuantity(limit.value)) > 0) return false
  }
  return true
}

export function sum(a: Consumed, b: Consumed): Consumed {
  if (a.size === 0) return b
  const all = new Map(a)
  for (const [name, amount] of b) {
    const known = all.get(name)
    all.set(name, known === undefined ? amount : known.add(amount))
  }
  return all
}

function amountOf(wanted: string | undefined, { value, requestPolicy }: DeviceCapacity): Quantity {
  if (wanted === undefined) return parseQuantity(requestPolicy?.default ?? value)
  const amount = parseQuantity(wanted)
  if (requestPolicy?.validRange !== undefined) return roundedUp(amount, requestPolicy.validRange)
  const next = requestPolicy?.validValues?.map((v) => parseQuantity(v)).find((v) => amount.compare(v) <= 0)
  return next ?? amount
}

function roundedUp(amount: Quantity, { min, step }: NonNullable<CapacityRequestPolicy['validRange']>): Quantity {
  const least = parseQuantity(min)
  if (amount.compare(least) < 0) return least
  const [from, by] = [least.scaledValue(0), stepOf(step)]
  if (by <= 0n) return amount
  const steps = (amount.scaledValue(0) - from + by - 1n) / by
  return Quantity.of(from + steps * by, 'BinarySI')
}

function breaks(amount: Quantity, policy: CapacityRequestPolicy | undefined): boolean {
  if (policy === undefined) return false
  if (policy.default !== undefined && amount.compare(parseQuantity(policy.default)) === 0) return false
  const { validRange, validValues = [] } = policy
  if (validRange !== undefined) {
    const { min, max, step } = validRange
    if (max !== undefined && amount.compare(parseQuantity(max)) > 0) return true
    const by = stepOf(step)
    return by > 0n && (amount.scaledValue(0) - parseQuantity(min).scaledValue(0)) % by !== 0n
  }
  return validValues.length > 0 && !validValues.some((v) => parseQuantity(v).compare(amount) === 0)
}

const stepOf = (step: string | undefined) => (step === undefined ? 0n : parseQuantity(step).scaledValue(0))
