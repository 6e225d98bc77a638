import type { DeviceConstraint } from './device.ts'
import type { PoolDevice } from './pools.ts'

/** A device that was chosen for a request: `request`, or `request/alternative`. */
interface Chosen {
  readonly request: string
  readonly device: PoolDevice
}

/** Whether a device may join those that were chosen for the claim before it. */
export function keepsConstraints(next: Chosen, before: readonly Chosen[], constraints: readonly DeviceConstraint[]): boolean {
  return constraints.every((constraint) => {
    if (!concerns(constraint, next.request)) return true
    const attribute = constraint.matchAttribute ?? constraint.distinctAttribute ?? ''
    const own = attributeOf(next.device, attribute)
    if (own === undefined) return false
    const values = before.filter((c) => concerns(constraint, c.request)).map((c) => attributeOf(c.device, attribute))
    return constraint.matchAttribute !== undefined ? values.every((v) => v === own) : !values.includes(own)
  })
}

/** A constraint without requests is about all of them; one that names a request is about its alternatives too. */
const concerns = ({ requests = [] }: DeviceConstraint, name: string) =>
  requests.length === 0 || requests.includes(name) || requests.includes(name.split('/')[0] ?? '')

/** The value with its type, as text; a name with the driver's domain means its own attribute of that name too. */
function attributeOf({ driver, device }: PoolDevice, name: string): string | undefined {
  const own = name.startsWith(`${driver}/`) ? name.slice(driver.length + 1) : undefined
  const found = device.attributes?.[name] ?? (own === undefined ? undefined : device.attributes?.[own])
  return found === undefined ? undefined : JSON.stringify(found, (_, v) => (typeof v === 'bigint' ? String(v) : v))
}
