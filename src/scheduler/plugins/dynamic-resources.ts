import { timestamp } from '../../base/clock.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Client } from '../../sdk/client/client.ts'
import { RESOURCE_CLAIMS } from '../../sdk/client/refs.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import { type Allocated, allocate, deviceId } from '../devices/allocate.ts'
import type { Allocation, DeviceClass, ResourceClaim, ResourceSlice } from '../devices/device.ts'
import { poolsFor } from '../devices/pools.ts'
import type { PluginFactory, PostFilterResult } from '../framework/plugin.ts'
import type { Listers, PluginContext } from '../framework/prepared.ts'
import { unresolvable, type Verdict } from '../framework/verdict.ts'
import { nodeSelectorMatcher } from './node-affinity.ts'

const NAME = 'DynamicResources'
const CANNOT = unresolvable(NAME, 'cannot allocate all claims')
const ELSEWHERE = unresolvable(NAME, 'resourceclaim not available on the node')
const INVALID_POOLS = unresolvable(NAME, 'invalid resource pools were encountered')
const FINALIZER = 'resource.kubernetes.io/delete-protection'

type Claim = Readonly<ResourceClaim>

/** Devices by claims (resource.k8s.io/v1, structured parameters): finds them on the node, keeps them for the pod, and writes the allocation before the pod is bound. */
export const dynamicResources: PluginFactory = (_args, { client }) => {
  /** Allocations that are decided and not yet seen in the claim, by its uid. */
  const decided = new Map<string, Allocation>()
  const allocationOf = (claim: Claim): Allocation | undefined => {
    const written = claim.status?.allocation
    if (written !== undefined) decided.delete(claim.metadata.uid ?? '')
    return written ?? decided.get(claim.metadata.uid ?? '')
  }
  const taken = (listers: Listers): ReadonlySet<string> => {
    const ids = new Set<string>()
    for (const claim of listers.list('resourceclaims', '') as readonly Claim[]) {
      for (const result of allocationOf(claim)?.devices.results ?? []) if (result.adminAccess !== true) ids.add(deviceId(result))
    }
    return ids
  }
  const tryOn = (row: number, open: readonly Claim[], { table, listers }: PluginContext, used: ReadonlySet<string>): Allocated => {
    const node = { name: table.names[row] ?? '', labels: table.labels[row] ?? {} }
    const classes = (name: string) => listers.get('deviceclasses', '', name) as Readonly<DeviceClass> | undefined
    const pools = poolsFor(node, listers.list('resourceslices', '') as readonly Readonly<ResourceSlice>[])
    return allocate({ claims: open, pools, classes, taken: used })
  }
  return {
    name: NAME,
    scope: 'cluster',
    preEnqueue(pod, { listers }) {
      const missing = claimsOf(pod, listers).find(({ claim }) => claim === undefined)
      return missing === undefined ? undefined : `waiting for resourceclaim ${missing.shown} of pod ${pod.key}`
    },
    filter(pod, context) {
      const { table, listers } = context
      const all = claimsOf(pod, listers)
      if (all.length === 0) return undefined
      const refuse = all.map((c) => unusable(pod, c, listers)).find((verdict) => verdict !== undefined)
      if (refuse !== undefined) return { refuse }
      const claims = all.flatMap(({ claim }) => claim ?? [])
      const open = claims.filter((claim) => allocationOf(claim) === undefined)
      const reach = claims.flatMap((claim) => {
        const selector = allocationOf(claim)?.nodeSelector
        return selector === undefined ? [] : [nodeSelectorMatcher(selector)]
      })
      const used = taken(listers)
      return {
        check(row) {
          if (!reach.every((fits) => fits(table.labels[row] ?? {}, table.names[row] ?? ''))) return ELSEWHERE
          if (open.length === 0) return undefined
          try {
            const { kind } = tryOn(row, open, context, used)
            return kind === 'allocated' ? undefined : kind === 'invalid' ? INVALID_POOLS : CANNOT
          } catch (error) {
            throw new Error(`running "${NAME}" filter plugin: ${error instanceof Error ? error.message : String(error)}`)
          }
        },
      }
    },
    score(pod, context) {
      const open = claimsOf(pod, context.listers).flatMap(({ claim }) =>
        claim === undefined || allocationOf(claim) !== undefined ? [] : [claim],
      )
      if (!open.some((claim) => claim.spec.devices?.requests?.some((r) => r.firstAvailable !== undefined))) return NOTHING
      const used = taken(context.listers)
      return {
        normalize(scores) {
          const highest = Math.max(...scores)
          for (let i = 0; i < scores.length; i++) scores[i] = highest === 0 ? 0 : Math.trunc((100 * (scores[i] ?? 0)) / highest)
        },
        of(row) {
          const found = tryOn(row, open, context, used)
          return found.kind === 'allocated' ? preference(open, found.allocations) : 0
        },
      }
    },
    // Upstream's plugin finds nothing prepared when the pod was refused before it was asked.
    postFilter({ pod, refused, context }) {
      const claims = claimsOf(pod, context.listers)
      if (claims.length === 0)
        return refused ? { kind: 'error', message: 'not found' } : { kind: 'failed', message: 'no new claims to deallocate' }
      const idle = claims.find(({ claim }) => claim?.status?.allocation !== undefined && othersOf(claim, pod) === 0)?.claim
      if (idle === undefined || client === undefined || refused) return { kind: 'failed', message: 'still not schedulable' }
      decided.delete(idle.metadata.uid ?? '')
      return deallocate(idle, client).then(() => DEALLOCATED)
    },
    reserve(pod, node, context) {
      const open = claimsOf(pod, context.listers).flatMap(({ claim }) =>
        claim === undefined || allocationOf(claim) !== undefined ? [] : [claim],
      )
      if (open.length === 0) return undefined
      const found = tryOn(context.table.rowOf(node) ?? -1, open, context, taken(context.listers))
      if (found.kind !== 'allocated') return { refuse: CANNOT }
      const uids = open.map((claim) => claim.metadata.uid ?? '')
      open.forEach((_, i) => {
        const allocation = found.allocations[i]
        if (allocation !== undefined) decided.set(uids[i] ?? '', allocation)
      })
      return {
        undo() {
          for (const uid of uids) decided.delete(uid)
        },
      }
    },
    preBind(pod, _node, { client, listers, now }) {
      const claims = claimsOf(pod, listers).flatMap(({ claim }) => claim ?? [])
      if (claims.length === 0) return undefined
      return Promise.all(claims.map((claim) => writeClaim(claim, pod, decided.get(claim.metadata.uid ?? ''), client, now()))).then(() => {})
    },
    hints: {
      'pod-updated': () => true,
      'node-added': () => true,
      'node-updated': () => true,
      'assigned-pod-deleted': () => true,
      'changed/resourceclaims': () => true,
      'changed/resourceslices': () => true,
      'changed/deviceclasses': () => true,
    },
  }
}

const DEALLOCATED: PostFilterResult = { kind: 'failed', message: 'deallocation of ResourceClaim completed' }

/** Every node scores 0. */
const NOTHING = { of: () => 0, nothing: true }

/** As many alternatives as a request may have. */
const MAX_ALTERNATIVES = 8

/** More where earlier alternatives were found. */
function preference(claims: readonly Claim[], allocations: readonly Allocation[]): number {
  let score = 0
  claims.forEach((claim, i) => {
    const used = new Set(allocations[i]?.devices.results.map((r) => r.request))
    for (const request of claim.spec.devices?.requests ?? []) {
      const at = request.firstAvailable?.findIndex((r) => used.has(`${request.name}/${r.name}`)) ?? -1
      if (at >= 0) score += MAX_ALTERNATIVES - at
    }
  })
  return score
}

const othersOf = (claim: Claim, pod: PodInfo) => (claim.status?.reservedFor ?? []).filter((r) => r.uid !== pod.uid).length

/** Gives back devices that nobody uses, so that they can be had elsewhere. */
async function deallocate(claim: Claim, client: Client): Promise<void> {
  const { namespace = '', name = '' } = claim.metadata
  const { allocation: _a, reservedFor: _r, ...status } = claim.status ?? {}
  await client.update({ ...RESOURCE_CLAIMS, namespace, name, subresource: 'status' }, { ...claim, status })
}

interface PodClaim {
  /** How messages call it. */
  readonly shown: string
  readonly claim: Claim | undefined
}

const NO_CLAIMS: readonly PodClaim[] = []

/** The claims of a pod: those that it names, and those that were made for it from a template. */
function claimsOf({ pod, namespace }: PodInfo, listers: Listers): readonly PodClaim[] {
  return pod.spec.resourceClaims === undefined
    ? NO_CLAIMS
    : pod.spec.resourceClaims.flatMap((entry) => {
        const made = pod.status?.resourceClaimStatuses?.find((s) => s.name === entry.name)
        // Made for a pod that turned out to need none.
        if (made !== undefined && made.resourceClaimName === undefined) return []
        const name = entry.resourceClaimName ?? made?.resourceClaimName
        const claim = name === undefined ? undefined : (listers.get('resourceclaims', namespace, name) as Claim | undefined)
        return [{ shown: JSON.stringify(name ?? entry.name), claim }]
      })
}

function unusable(pod: PodInfo, { shown, claim }: PodClaim, listers: Listers): Verdict | undefined {
  if (claim === undefined) return unresolvable(NAME, `resourceclaim ${shown} not found`)
  if (claim.metadata.deletionTimestamp !== undefined) return unresolvable(NAME, `resourceclaim ${shown} is being deleted`)
  const owner = claim.metadata.ownerReferences?.find((o) => o.controller === true)
  if (owner !== undefined && owner.kind === 'Pod' && owner.uid !== pod.uid)
    return unresolvable(NAME, `ResourceClaim ${pod.namespace}/${claim.metadata.name} was not created for pod ${pod.key} (pod is not owner)`)
  for (const request of claim.spec.devices?.requests ?? []) {
    const names = request.exactly !== undefined ? [request.exactly] : (request.firstAvailable ?? [])
    const absent = names.find((r) => listers.get('deviceclasses', '', r.deviceClassName) === undefined)
    if (absent !== undefined) return unresolvable(NAME, `request ${request.name}: device class ${absent.deviceClassName} does not exist`)
  }
  return undefined
}

/** Writes the allocation, when it is new, and that the pod uses the claim. */
async function writeClaim(claim: Claim, pod: PodInfo, fresh: Allocation | undefined, client: Client, nowMs: number): Promise<void> {
  const { namespace = '', name = '', uid, finalizers = [] } = claim.metadata
  const target = { ...RESOURCE_CLAIMS, namespace, name }
  let current: KubeObject = await client.get(target)
  if (current.metadata.uid !== uid) throw new Error(`claim ${namespace}/${name} was replaced by another one of that name`)
  if (fresh !== undefined && !(current.metadata.finalizers ?? finalizers).includes(FINALIZER))
    current = await client.update(target, {
      ...current,
      metadata: { ...current.metadata, finalizers: [...(current.metadata.finalizers ?? []), FINALIZER] },
    })
  const status = (current.status ?? {}) as NonNullable<ResourceClaim['status']>
  const reservedFor = status.reservedFor ?? []
  const mine = { resource: 'pods', name: pod.pod.metadata.name ?? '', uid: pod.uid }
  const allocation = status.allocation ?? (fresh === undefined ? undefined : { ...fresh, allocationTimestamp: timestamp(nowMs) })
  if (allocation === undefined) throw new Error(`claim ${namespace}/${name} is no longer allocated`)
  const next = { ...status, allocation, reservedFor: reservedFor.some((r) => r.uid === mine.uid) ? reservedFor : [...reservedFor, mine] }
  await client.update({ ...target, subresource: 'status' }, { ...current, status: next }).catch((error) => {
    throw new Error(`add reservation to claim ${namespace}/${name}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  })
}
