import { parseQuantity, type Quantity, tryParseQuantity } from '../../../machinery/quantity.ts'
import type { NodeDevices, NodeNuma, NodePod, NodeReport } from '../../../resources/bowsprit/node-report.ts'
import { podRequests } from '../../../resources/pod/pod-requests.ts'
import type { Node, Pod } from '../../../resources/types/core.ts'
import type { ResourceClaim, ResourceSlice } from '../../../resources/types/resource.ts'
import type {
  MachineClaim,
  MachineDevices,
  MachineHint,
  MachineNuma,
  MachinePage,
  MachinePod,
  MachineResource,
  MachineSlice,
} from '../../wire/machine-page.ts'
import { shownText } from '../../wire/shown-text.ts'
import { summaryOf } from '../health/health.ts'

/** What a node and its pods, claims and devices say. */
export interface MachineFacts {
  readonly node: Node
  readonly pods: readonly Pod[]
  readonly slices: readonly ResourceSlice[]
  readonly claims: readonly ResourceClaim[]
  /** Undefined: no topology is known of it. */
  readonly report: NodeReport | undefined
}

const MAX_PODS = 300
const MAX_DEVICES = 256
const ENDED = new Set(['Succeeded', 'Failed'])

/** A node as the page shows it: who has what of it. */
export function machinePage({ node, pods, slices, claims, report }: MachineFacts, nowMs: number): MachinePage {
  const shown = pods.slice(0, MAX_PODS)
  return {
    facts: factsOf(node),
    resources: resourcesOf(node, pods),
    policy: report === undefined ? '' : `${report.policy}, scope ${report.scope}`,
    numa: report?.numaNodes.map(numaOf) ?? [],
    devices: report?.devices.map(devicesOf) ?? [],
    slices: slices.map(sliceOf),
    claims: claims.filter((claim) => isUsedBy(claim, pods)).map(claimOf),
    pods: shown.map((pod) => podOf(pod, report, nowMs)),
    morePods: pods.length - shown.length,
  }
}

function factsOf({ spec, status }: Node): MachinePage['facts'] {
  const info = status?.nodeInfo
  const all: readonly (readonly [name: string, text: string | undefined])[] = [
    ['addresses', status?.addresses?.map(({ address }) => address).join(', ')],
    ['kubelet', info?.kubeletVersion],
    ['runtime', info?.containerRuntimeVersion],
    ['system', info && `${info.osImage}, ${info.kernelVersion}, ${info.architecture}`],
    ['pod range', spec?.podCIDR],
    ['taints', spec?.taints?.map(({ key, value = '', effect }) => `${key}${value === '' ? '' : `=${value}`}:${effect}`).join(', ')],
  ]
  return all.flatMap(([name, text = '']) => (text === '' ? [] : [[name, shownText(text, 500)] as const]))
}

/** What pods may have, and what those that have not ended ask for. */
function resourcesOf({ status }: Node, pods: readonly Pod[]): readonly MachineResource[] {
  const asked = new Map<string, Quantity>()
  const running = pods.filter((pod) => !ENDED.has(pod.status?.phase ?? ''))
  for (const { spec } of running)
    for (const [name, amount] of podRequests(spec)) asked.set(name, (asked.get(name) ?? parseQuantity(0)).add(amount))
  asked.set('pods', parseQuantity(running.length))
  const { capacity = {}, allocatable = {} } = status ?? {}
  return Object.keys(allocatable).map((name) => {
    const most = tryParseQuantity(allocatable[name] ?? 0)?.toNumber() ?? 0
    const requested = asked.get(name) ?? parseQuantity(0)
    return {
      name: shownText(name, 200),
      capacity: shownText(String(capacity[name] ?? ''), 50),
      allocatable: shownText(String(allocatable[name] ?? ''), 50),
      requested: requested.toString(),
      share: most === 0 ? 0 : Math.min(1, requested.toNumber() / most),
    }
  })
}

const numaOf = ({ id, cpus, memory, devices }: NodeNuma): MachineNuma => ({
  id,
  cpus: cpus.map(({ id: cpu, core, socket, use, pod = '' }) => ({ id: cpu, core, socket, use, pod: shownText(pod, 300) })),
  memory: memory.map(({ type, total, reserved, used }) => ({ type: shownText(type, 100), total, reserved, used })),
  devices: devices.map(devicesOf),
})

const devicesOf = ({ resource, total, free, unhealthy, devices }: NodeDevices): MachineDevices => ({
  resource: shownText(resource, 200),
  total,
  free,
  unhealthy,
  devices: devices.map(({ id, healthy, pod = '' }) => ({ id: shownText(id, 200), healthy, pod: shownText(pod, 300) })),
})

const sliceOf = ({ spec: { driver, pool, devices = [] } }: ResourceSlice): MachineSlice => ({
  driver: shownText(driver, 200),
  pool: shownText(pool.name, 200),
  devices: devices.slice(0, MAX_DEVICES).map(({ name }) => shownText(name, 200)),
  unlisted: Math.max(0, devices.length - MAX_DEVICES),
})

const isUsedBy = ({ metadata, status }: ResourceClaim, pods: readonly Pod[]): boolean =>
  (status?.reservedFor ?? []).some(({ name }) =>
    pods.some((pod) => pod.metadata.name === name && pod.metadata.namespace === metadata.namespace),
  )

const claimOf = ({ metadata, status }: ResourceClaim): MachineClaim => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
  devices: (status?.allocation?.devices?.results ?? []).map(({ driver, device }) => shownText(`${driver}/${device}`, 300)),
  pods: (status?.reservedFor ?? []).map(({ name }) => shownText(name, 300)),
})

function podOf(pod: Pod, report: NodeReport | undefined, nowMs: number): MachinePod {
  const { namespace = '', name = '' } = pod.metadata
  const own = report?.pods.find((each) => each.namespace === namespace && each.name === name)
  const { tone, health } = summaryOf({ ...pod, kind: 'Pod' }, nowMs)
  return {
    namespace,
    name,
    tone,
    health: shownText(health),
    has: shownText(own?.summary ?? ''),
    hints: own?.decisions.flatMap(hintsOf) ?? [],
  }
}

/** What each provider of hints proposed, and what the policy made of it. */
function hintsOf({ container = 'all containers', hints, merged, admitted }: NodePod['decisions'][number]): readonly MachineHint[] {
  const masks = (list: readonly { readonly mask?: string; readonly preferred: boolean }[] | undefined) =>
    list === undefined
      ? 'any'
      : list.length === 0
        ? 'none'
        : list.map(({ mask = 'any', preferred }) => `${mask}${preferred ? '!' : ''}`).join(' ')
  return [
    ...hints.map(({ provider, resource = '', hints: of }) => ({
      container: shownText(container, 200),
      provider: shownText(`${provider} ${resource}`.trim(), 300),
      masks: masks(of),
    })),
    { container: shownText(container, 200), provider: admitted ? 'merged' : 'merged: refused', masks: masks([merged]) },
  ]
}
