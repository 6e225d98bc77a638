import { byText } from '../../../base/by-text.ts'
import type { ReportedDevice, ReportedDevices } from '../../../resources/bowsprit/topology-report.ts'
import type { DeviceManager } from '../devices/device-manager.ts'
import type { ResourcePool } from '../devices/resource-pool.ts'

/** The most devices per resource and NUMA node that a report lists; the others are counted. */
export const MOST_NAMED = 256

/** The owners of the devices on a NUMA node; undefined: devices without topology. Pure. */
export function reportedDevices(node: number | undefined, podUid: string, { pools, ledger }: Pick<DeviceManager, 'pools' | 'ledger'>) {
  return [...pools.values()]
    .toSorted((a, b) => byText(a.name, b.name))
    .flatMap((pool): ReportedDevices[] => {
      const devices = nearTo(node, pool, podUid, ledger.owners(pool.name))
      if (devices.length === 0) return []
      const named = devices.toSorted((a, b) => RANK[a.use] - RANK[b.use]).slice(0, MOST_NAMED)
      const count = (use: ReportedDevice['use']) => devices.filter((d) => d.use === use && d.healthy).length
      return [
        {
          resource: pool.name,
          devices: devices.length > MOST_NAMED ? named : devices,
          total: devices.length,
          own: devices.filter((d) => d.use === 'own').length,
          others: devices.filter((d) => d.use === 'others').length,
          free: count('free'),
          unhealthy: devices.filter((d) => !d.healthy).length,
        },
      ]
    })
}

/** The order in which devices are listed if not all are. */
const RANK: Readonly<Record<ReportedDevice['use'], number>> = { own: 0, others: 1, free: 2 }

function nearTo(node: number | undefined, pool: ResourcePool, podUid: string, owners: ReadonlyMap<string, string>): ReportedDevice[] {
  return [...pool.devices.values()].flatMap(({ id, healthy, numaNodes }) => {
    if (node === undefined ? numaNodes.length > 0 : !numaNodes.includes(node)) return []
    const owner = owners.get(id)
    const use = owner === undefined ? 'free' : owner === podUid ? 'own' : 'others'
    // Without a plugin its devices cannot be allocated.
    return [{ id, use, healthy: healthy && pool.plugin !== undefined }]
  })
}
