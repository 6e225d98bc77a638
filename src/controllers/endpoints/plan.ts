import type { KubeObject } from '../../machinery/object.ts'
import { findPort } from '../endpoint-slice/plan.ts'
import { isFinished, isReady, isTerminating, withoutZeros } from '../pods/pod-state.ts'

interface Port {
  readonly name?: string
  readonly port: number
  readonly protocol: string
  readonly appProtocol?: string
}

interface Address {
  readonly ip: string
  readonly [field: string]: unknown
}

interface Subset {
  readonly addresses?: readonly Address[]
  readonly notReadyAddresses?: readonly Address[]
  readonly ports?: readonly Port[]
}

/** What an Endpoints object says of a service: its pods' addresses, grouped by their ports. Pure. */
export function planSubsets(service: KubeObject, pods: readonly KubeObject[]): readonly Subset[] {
  const groups = new Map<string, { ports: readonly Port[]; ready: Address[]; notReady: Address[] }>()
  const anyway = service.spec?.publishNotReadyAddresses === true
  for (const pod of pods) {
    if (isFinished(pod) || !pod.status?.podIP || (isTerminating(pod) && !anyway)) continue
    const ports: Port[] = (service.spec?.ports ?? []).flatMap(
      (p: { name?: string; protocol?: string; port: number; appProtocol?: string }) => {
        const port = findPort(pod, p)
        return port === undefined
          ? []
          : [{ ...withoutZeros({ name: p.name, appProtocol: p.appProtocol }), port, protocol: p.protocol ?? 'TCP' }]
      },
    )
    if (ports.length === 0 && (service.spec?.ports ?? []).length > 0) continue
    const key = JSON.stringify(ports)
    const group = groups.get(key) ?? { ports, ready: [], notReady: [] }
    ;(isReady(pod) || anyway ? group.ready : group.notReady).push(addressOf(service, pod))
    groups.set(key, group)
  }
  const byIp = (list: readonly Address[]) => list.toSorted((a, b) => (a.ip < b.ip ? -1 : a.ip > b.ip ? 1 : 0))
  return [...groups.values()].map(({ ports, ready, notReady }) =>
    withoutZeros({ addresses: byIp(ready), notReadyAddresses: byIp(notReady), ports }),
  )
}

/** So many addresses stand in one object: it is sent whole to everybody who watches it. */
const MOST = 1000

/** The subsets with as many addresses as may be; ready ones go before the others, and each subset keeps its share. Pure. */
export function truncateSubsets(subsets: readonly Subset[]): { readonly subsets: readonly Subset[]; readonly truncated: boolean } {
  const total = (of: 'addresses' | 'notReadyAddresses') => subsets.reduce((sum, s) => sum + (s[of]?.length ?? 0), 0)
  const ready = total('addresses')
  const notReady = total('notReadyAddresses')
  if (ready + notReady <= MOST) return { subsets, truncated: false }
  const which = ready > MOST ? 'addresses' : 'notReadyAddresses'
  const [room, all] = ready > MOST ? [MOST, ready] : [MOST - ready, notReady]
  let left = room
  const cut = subsets.map(({ notReadyAddresses, ...subset }) => {
    const list = (which === 'addresses' ? subset.addresses : notReadyAddresses) ?? []
    const kept = list.slice(0, Math.min(left, Math.ceil((list.length / all) * room)))
    left -= kept.length
    return withoutZeros({ ...subset, [which]: kept })
  })
  return { subsets: cut, truncated: true }
}

function addressOf(service: KubeObject, pod: KubeObject): Address {
  const { namespace = '', name = '', uid = '' } = pod.metadata
  const named = pod.spec?.hostname && pod.spec?.subdomain === service.metadata.name
  return {
    ip: pod.status.podIP,
    ...(named ? { hostname: pod.spec.hostname } : {}),
    ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: 'Pod', namespace, name, uid },
  }
}
