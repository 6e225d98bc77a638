import type { DeviceConstraint } from '../../resources/types/resource.ts'
import type { PoolDevice } from './pools.ts'

/**
 * The constraints of one claim over the devices chosen for it so far. Devices are taken back in the reverse order of adding. Adding a
 * device costs one look at each constraint, however many devices were chosen.
 */
export class ClaimConstraints {
  readonly #constraints: readonly ConstraintState[]

  constructor(constraints: readonly DeviceConstraint[]) {
    this.#constraints = constraints.map((constraint) => ({ constraint, values: [] }))
  }

  get count(): number {
    return this.#constraints.length
  }

  /** Adds a device for a request (`request`, or `request/alternative`); false, and nothing is added: a constraint forbids it. */
  add(request: string, device: PoolDevice): boolean {
    for (const [i, state] of this.#constraints.entries()) {
      if (addTo(state, request, device)) continue
      for (const added of this.#constraints.slice(0, i)) takeBack(added, request)
      return false
    }
    return true
  }

  /** Takes back the device that was added last, for this request. */
  takeBack(request: string): void {
    for (const state of this.#constraints) takeBack(state, request)
  }
}

interface ConstraintState {
  readonly constraint: DeviceConstraint
  /** Of the devices that the constraint is about. With `matchAttribute` they are all the same. */
  readonly values: string[]
}

function addTo({ constraint, values }: ConstraintState, request: string, device: PoolDevice): boolean {
  if (!concerns(constraint, request)) return true
  const value = attributeOf(device, constraint.matchAttribute ?? constraint.distinctAttribute ?? '')
  if (value === undefined) return false
  const [first = value] = values
  const isAllowed = constraint.matchAttribute !== undefined ? value === first : !values.includes(value)
  if (isAllowed) values.push(value)
  return isAllowed
}

function takeBack({ constraint, values }: ConstraintState, request: string): void {
  if (concerns(constraint, request)) values.pop()
}

/** A constraint without requests applies to all of them; one on a request applies to its alternatives, too. */
const concerns = ({ requests = [] }: DeviceConstraint, name: string) =>
  requests.length === 0 || requests.includes(name) || requests.includes(name.split('/')[0] ?? '')

/** The value with its type, as text; a name with the driver's domain means its own attribute of that name too. */
function attributeOf({ driver, device }: PoolDevice, name: string): string | undefined {
  const own = name.startsWith(`${driver}/`) ? name.slice(driver.length + 1) : undefined
  const found = device.attributes?.[name] ?? (own === undefined ? undefined : device.attributes?.[own])
  return found === undefined ? undefined : JSON.stringify(found, (_, v) => (typeof v === 'bigint' ? String(v) : v))
}
