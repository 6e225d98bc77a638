import type { PluginDevice } from '../../../sdk/node-api/device-plugin.ts'

/** A device that a plugin reported. */
export interface ListedDevice {
  readonly id: string
  readonly healthy: boolean
  /** Its NUMA nodes; empty: unknown. */
  readonly numaNodes: readonly number[]
}

export type DeviceList = ReadonlyMap<string, ListedDevice>

/** The most devices of one resource; more are ignored. */
export const MOST_DEVICES = 20_000
/** The longest device id, in characters. */
export const LONGEST_ID = 253
/** The most NUMA nodes of one device. */
const MOST_NUMA_NODES = 64

/** The valid part of a plugin's report; `faults` describes the rest. Pure. */
export function readDevices(reported: readonly PluginDevice[]): { readonly devices: DeviceList; readonly faults: readonly string[] } {
  const devices = new Map<string, ListedDevice>()
  const faults = new Faults()
  for (const { id, health, topology } of reported) {
    if (id === '' || id.length > LONGEST_ID) {
      faults.add('ids', `ids that are empty or longer than ${LONGEST_ID} characters`)
      continue
    }
    const before = devices.get(id)
    if (before !== undefined) faults.add('twice', `ids that stand twice (${JSON.stringify(id)})`)
    else if (devices.size >= MOST_DEVICES) {
      faults.add('many', `more than ${MOST_DEVICES} devices`)
      continue
    }
    const numaNodes = (topology?.nodes ?? []).map((n) => n.id).filter((n) => Number.isInteger(n) && n >= 0)
    if (numaNodes.length > MOST_NUMA_NODES) faults.add('numa', `more than ${MOST_NUMA_NODES} NUMA nodes for one device`)
    // Of two reports on one device the worse counts.
    const healthy = health === 'Healthy' && before?.healthy !== false
    devices.set(id, { id, healthy, numaNodes: numaNodes.slice(0, MOST_NUMA_NODES) })
  }
  return { devices, faults: faults.reported }
}

/** Reports each kind of fault once. */
class Faults {
  readonly #kinds = new Map<string, { text: string; count: number }>()

  add(kind: string, text: string): void {
    const known = this.#kinds.get(kind)
    if (known === undefined) this.#kinds.set(kind, { text, count: 1 })
    else known.count++
  }

  get reported(): string[] {
    return [...this.#kinds.values()].map(({ text, count }) => (count === 1 ? text : `${text}, ${count} times`))
  }
}
