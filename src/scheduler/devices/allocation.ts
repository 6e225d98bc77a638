import type { NodeSelector, NodeSelectorTerm } from '../../resources/types/core.ts'
import type {
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceClass,
  DeviceRequestAllocationResult,
  ExactDeviceRequest,
  ResourceClaim,
} from '../../resources/types/resource.ts'
import type { Consumed } from './capacity.ts'
import type { PoolDevice } from './pools.ts'

/** A device that was found for a request. */
export interface ChosenDevice {
  readonly claim: number
  /** `request`, or `request/alternative`. */
  readonly request: string
  readonly exact: ExactDeviceRequest
  readonly device: PoolDevice
  /** Whether it took of its pool's counters. */
  readonly counted: boolean
  /** What it takes of a device that several share. */
  readonly consumed: Consumed | undefined
}

export interface AllocationDeps {
  readonly node: string
  readonly classes: (name: string) => Readonly<DeviceClass> | undefined
  readonly shareId: () => string
}

/** The allocation of a claim as it is written to its status. */
export function allocationOf(claim: Readonly<ResourceClaim>, picks: readonly ChosenDevice[], deps: AllocationDeps): AllocationResult {
  const config = configOf(claim, picks, deps)
  const nodeSelector = reachOf(picks, deps.node)
  return {
    devices: { results: picks.map((pick) => resultOf(pick, deps)), ...(config.length === 0 ? {} : { config }) },
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
  }
}

function resultOf({ request, exact, device, consumed }: ChosenDevice, { shareId }: AllocationDeps): DeviceRequestAllocationResult {
  const { bindingConditions, bindingFailureConditions, name } = device.device
  const amounts = [...(consumed ?? [])].map(([of, amount]): [string, string] => [of, amount.toString()])
  return {
    request,
    driver: device.driver,
    pool: device.pool,
    device: name,
    ...(exact.adminAccess === true ? { adminAccess: true } : {}),
    ...(exact.tolerations === undefined || exact.tolerations.length === 0 ? {} : { tolerations: exact.tolerations }),
    ...(consumed === undefined ? {} : { shareID: shareId() }),
    ...(amounts.length === 0 ? {} : { consumedCapacity: Object.fromEntries(amounts) }),
    ...(bindingConditions === undefined ? {} : { bindingConditions }),
    ...(bindingFailureConditions === undefined ? {} : { bindingFailureConditions }),
  }
}

/** The configuration of the classes, by the requests that use them, then that of the claim: once for each request that it is about. */
function configOf(
  claim: Readonly<ResourceClaim>,
  picks: readonly ChosenDevice[],
  { classes }: AllocationDeps,
): readonly DeviceAllocationConfiguration[] {
  const byClass = new Map<string, Set<string>>()
  for (const { request, exact } of picks) {
    const names = byClass.get(exact.deviceClassName) ?? new Set()
    byClass.set(exact.deviceClassName, names.add(request))
  }
  const config: DeviceAllocationConfiguration[] = []
  for (const [name, requests] of byClass)
    for (const one of classes(name)?.spec?.config ?? []) config.push({ source: 'FromClass', requests: [...requests], ...one })
  const used = new Set(picks.map((p) => p.request))
  for (const { requests = [], ...one } of claim.spec?.devices?.config ?? []) {
    if (requests.length === 0) config.push({ source: 'FromClaim', ...one })
    for (const request of used)
      if (requests.includes(request) || requests.includes(request.split('/')[0] ?? ''))
        config.push({ source: 'FromClaim', requests, ...one })
  }
  return config
}

/**
 * The nodes from which all devices can be reached. This node, when a device is local or binds to its node; else the union of the
 * requirements of all devices.
 */
function reachOf(picks: readonly ChosenDevice[], node: string): NodeSelector | undefined {
  if (picks.some(({ device }) => device.where.nodeName || device.device.bindsToNode === true))
    return { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }] }
  const fields = new Map<string, NonNullable<NodeSelectorTerm['matchFields']>[number]>()
  const expressions = new Map<string, NonNullable<NodeSelectorTerm['matchExpressions']>[number]>()
  for (const { device } of picks) {
    for (const term of device.where.nodeSelector?.nodeSelectorTerms ?? []) {
      for (const field of term.matchFields ?? []) fields.set(keyOf(field), field)
      for (const one of term.matchExpressions ?? []) expressions.set(keyOf(one), expressions.get(keyOf(one)) ?? one)
    }
  }
  if (fields.size + expressions.size === 0) return undefined
  const term: NodeSelectorTerm = {
    ...(expressions.size === 0 ? {} : { matchExpressions: [...expressions.values()] }),
    ...(fields.size === 0 ? {} : { matchFields: [...fields.values()] }),
  }
  return { nodeSelectorTerms: [term] }
}

/** The order of the values does not matter. */
const keyOf = ({ key, operator, values = [] }: { readonly key: string; readonly operator: string; readonly values?: readonly string[] }) =>
  JSON.stringify([key, operator, values.toSorted()])
