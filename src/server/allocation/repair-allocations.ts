import type { Cancel, Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Reader, Writer } from '../../machinery/resource/definition.ts'
import { ipAddressOf } from '../../resources/networking/ip-address-of.ts'
import { listObjects } from '../../resources/read-objects.ts'
import { IP_ADDRESSES, SERVICES } from '../../resources/refs.ts'
import type { Allocations } from './allocations.ts'
import { planRepair, type Repair } from './plan-repair.ts'

export interface RepairAllocationsDeps {
  readonly reader: Reader
  readonly writer: Writer
  readonly nodePorts: Allocations
  readonly clock: Clock
  readonly log: Logger
}

/** The interval of Kubernetes' repair loops. */
const EVERY_MS = 180_000

/**
 * Repairs the allocations, now and periodically: a data folder may come from a version without allocations, and a server may die between
 * allocation and commit. Allocations without a service are released when that is seen twice in a row. Every server may do it: each step is
 * a conditional write.
 */
export async function repairAllocations(deps: RepairAllocationsDeps): Promise<Cancel> {
  let leaked: ReadonlySet<string> = new Set()
  let cancel: Cancel = () => {}
  const round = async () => {
    const { reader, nodePorts } = deps
    const repair = planRepair({
      nodePorts: await nodePorts.all(),
      services: listObjects(reader, SERVICES),
      addresses: listObjects(reader, IP_ADDRESSES),
    })
    await carryOut(repair, leaked, deps)
    leaked = new Set([...repair.leakedPorts.map((a) => `${a.name} ${a.owner}`), ...repair.leakedIps])
  }
  let closed = false
  const schedule = () => {
    if (closed) return
    cancel = deps.clock.after(
      EVERY_MS,
      () => {
        round()
          .catch((error: unknown) => deps.log.warn('the allocations of services could not be repaired', { error }))
          .finally(schedule)
      },
      'routine',
    )
  }
  await round()
  schedule()
  return () => {
    closed = true
    cancel()
  }
}

async function carryOut(
  repair: Repair,
  leakedBefore: ReadonlySet<string>,
  { writer, nodePorts, log }: RepairAllocationsDeps,
): Promise<void> {
  for (const { port, service } of repair.ports) await nodePorts.take(port, service.metadata.uid ?? '')
  for (const { ip, service } of repair.ips) await writer.create('networking.k8s.io', 'ipaddresses', ipAddressOf(ip, service))
  for (const { name, owner } of repair.leakedPorts) {
    if (!leakedBefore.has(`${name} ${owner}`)) continue
    log.info('a node port that no service has is given back', { port: name })
    await nodePorts.give(name, owner ?? '')
  }
  for (const ip of repair.leakedIps) {
    if (!leakedBefore.has(ip)) continue
    log.info('an address that no service has is given back', { ip })
    await writer.delete('networking.k8s.io', 'ipaddresses', '', ip)
  }
}
