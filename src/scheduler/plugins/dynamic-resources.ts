import { LruMap } from '../../base/collections/lru-map.ts'
import { messageOf } from '../../base/message-of.ts'
import type { Steps } from '../../base/steps.ts'
import { equalJson } from '../../machinery/equal.ts'
import { parseGoDuration } from '../../machinery/go/go-duration.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { readPath } from '../../machinery/resource/definition.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { ResourceClaim } from '../../resources/types/resource.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import { NO_ALTERNATIVES, scoreAlternatives } from '../devices/alternatives.ts'
import { ClaimLedger, specialKey } from '../devices/claim-ledger.ts'
import { ClaimReservations } from '../devices/claim-reservations.ts'
import { deallocate, deleteSpecialClaim } from '../devices/claim-writer.ts'
import { DeviceSelectors } from '../devices/device-selectors.ts'
import { mayBeDevices } from '../devices/extended-resources.ts'
import { type NodeResult, NodeSearch } from '../devices/node-search.ts'
import { needsOf } from '../devices/pod-needs.ts'
import { SearchBudget, STEPS_PER_ATTEMPT } from '../devices/search-budget.ts'
import type { ClusterEvent } from '../framework/cluster-event.ts'
import type { Listers } from '../framework/listers.ts'
import type { Hints, PluginFactory } from '../framework/plugin.ts'
import { type PluginContext, READS_ANEW } from '../framework/prepared.ts'
import { unresolvable, type Verdict } from '../framework/verdict.ts'

const NAME = 'DynamicResources'
const CANNOT = unresolvable(NAME, 'cannot allocate all claims')
const ELSEWHERE = unresolvable(NAME, 'resourceclaim not available on the node')
const INVALID_POOLS = unresolvable(NAME, 'invalid resource pools were encountered')
const TIMED_OUT = unresolvable(NAME, 'timed out trying to allocate devices')
const STALE = unresolvable(NAME, 'cannot schedule extended resource claim')
const DEFAULT_BINDING_TIMEOUT_MS = 600_000
/** Pods whose attempt is under way at once: those that wait for extenders, and one that searches. */
const MAX_SEARCHES = 20

const durationOf = (arg: unknown) => (typeof arg === 'string' ? parseGoDuration(arg) : undefined)

/** Profiles share one: what a pod of one profile was promised must not be given to a pod of another. */
const ledgers = new WeakMap<object, ClaimLedger>()

function ledgerOf(scheduler: object): ClaimLedger {
  const ledger = ledgers.get(scheduler) ?? new ClaimLedger()
  ledgers.set(scheduler, ledger)
  return ledger
}

const HINTS: Hints = {
  'pod-updated': () => true,
  'node-added': () => true,
  'node-updated': () => true,
  // What was decided for a pod and not written yet is free without any claim being changed.
  'assigned-pod-deleted': (_, { pod }) => pod === undefined || mayHoldDevices(pod),
  'changed/resourceclaims': isOwnOrFreed,
  'changed/resourceslices': () => true,
  'changed/deviceclasses': () => true,
}

/**
 * Dynamic resource allocation (resource.k8s.io/v1, structured parameters): finds devices for a pod's claims on each node, reserves them,
 * and writes the allocation before the pod is bound.
 */
export const dynamicResources: PluginFactory = (args, { scheduler = {}, client, random }) => {
  const ledger = ledgerOf(scheduler)
  const searches = new LruMap<PodInfo, NodeSearch>(MAX_SEARCHES)
  const selectors = new DeviceSelectors()
  const bindingTimeoutMs = durationOf(args.bindingTimeout) ?? DEFAULT_BINDING_TIMEOUT_MS
  const filterTimeoutMs = durationOf(args.filterTimeout)
  const reservations = new ClaimReservations({ ledger, client, bindingTimeoutMs })
  const isOverdue = (claim: ResourceClaim) => reservations.isOverdue(claim)
  /** The search of this attempt, or a new one if the state that it used has changed. */
  const searchFor = (pod: PodInfo, context: PluginContext): NodeSearch | undefined => {
    const needs = needsOf(pod, context.listers)
    if (needs === undefined || 'missing' in needs) return undefined
    const deps = { context, ledger, selectors, isOverdue, shareId: () => random.uuid() }
    const kept = searches.get(pod)
    if (kept?.isCurrent(needs, deps)) return kept
    const search = new NodeSearch(pod, needs, deps)
    searches.set(pod, search)
    return search
  }

  return {
    name: NAME,
    scope: 'cluster',
    preEnqueue(pod, { listers }) {
      const needs = needsOf(pod, listers)
      return needs !== undefined && 'missing' in needs ? needs.missing : undefined
    },
    prepare(pod, context, rows) {
      return needsOf(pod, context.listers) === undefined
        ? undefined
        : searchInSteps(() => searchFor(pod, context), rows, new SearchBudget(STEPS_PER_ATTEMPT, filterTimeoutMs))
    },
    filter(pod, context) {
      const { listers } = context
      const needs = needsOf(pod, listers)
      if (needs === undefined) return undefined
      if ('missing' in needs) return { refuse: unresolvable(NAME, needs.missing) }
      const search = searchFor(pod, context)
      if (search === undefined) return undefined
      const refuse = refusalOf(search.open, listers)
      if (refuse !== undefined) return { refuse }
      const stale = needs.resources.size > 0 && ledger.specialOf(pod.uid, listers) !== undefined
      return {
        // Pods that are added or removed on trial neither allocate nor release devices.
        ...READS_ANEW,
        check(row) {
          if (stale) return STALE
          const available = search.isAvailableOn(row)
          return verdictOf(search.resultOn(row)) ?? (available ? undefined : ELSEWHERE)
        },
      }
    },
    score(pod, context) {
      const search = searchFor(pod, context)
      if (search === undefined || search.open.length === 0) return NO_ALTERNATIVES
      const claims = needsClaims(pod, context.listers)
      return scoreAlternatives(search, claims, ledger)
    },
    // Upstream's plugin has no state if an earlier plugin rejected the pod in PreFilter.
    postFilter({ pod, refusedBy, context }) {
      if (refusedBy !== undefined && refusedBy !== NAME) return { kind: 'error', message: 'not found' }
      const search = searches.get(pod)
      if (refusedBy !== undefined || search === undefined) return { kind: 'failed', message: 'no new claims to deallocate' }
      // What was just decided for another pod that shares the claim is about to be written.
      const isIdle = (claim: ResourceClaim) =>
        othersOf(claim, pod) === 0 && (ledger.decidedFor(claim.metadata.uid ?? '')?.pod ?? pod.uid) === pod.uid
      const idle = [...search.unavailable].find(isIdle)
      if (idle !== undefined && client !== undefined) {
        ledger.forget(idle.metadata.uid ?? '')
        return deallocate(idle, client).then(() => ({ kind: 'failed', message: 'deallocation of ResourceClaim completed' }))
      }
      const stale = ledger.specialOf(pod.uid, context.listers)
      if (stale !== undefined && client !== undefined)
        return deleteSpecialClaim(stale, client).then(() => ({ kind: 'failed', message: 'deletion of ResourceClaim completed' }))
      return { kind: 'failed', message: 'still not schedulable' }
    },
    reserve(pod, node, context) {
      const search = searchFor(pod, context)
      if (search === undefined) return undefined
      const row = context.table.rowOf(node) ?? -1
      const special = search.specialOn(row)
      const found = search.resultOn(row)
      // The ids of shares in what was found are for one use.
      searches.delete(pod)
      if (found !== undefined) {
        if (found.kind !== 'allocated') return { refuse: verdictOf(found) ?? CANNOT }
        const keys = [...search.open.map((claim) => claim.metadata.uid ?? ''), ...(special === undefined ? [] : [specialKey(pod.uid)])]
        keys.forEach((key, i) => {
          const allocation = found.allocations[i]
          if (allocation !== undefined) ledger.decide(key, { allocation, pod: pod.uid })
        })
      }
      const open = new Set(search.open.map((claim) => claim.metadata.uid ?? ''))
      return reservations.reserve(pod, { claims: needsClaims(pod, context.listers), open, special })
    },
    preBind: (pod, node, deps) => reservations.write(pod, node, deps),
    postBind: (pod) => reservations.bound(pod),
    hints: HINTS,
  }
}

/**
 * Searches the nodes on which the pod may fit, until each has a valid result: claims and slices may change between two turns of the event
 * loop. It ends in any case, since one budget covers the whole attempt.
 */
function* searchInSteps(current: () => NodeSearch | undefined, rows: () => Iterable<number>, budget: SearchBudget): Steps<void> {
  let search = current()
  search?.forgetTimeouts()
  for (let isComplete = false; !isComplete; ) {
    isComplete = true
    for (const row of rows()) {
      if (search === undefined) return
      if (search.hasResult(row)) continue
      isComplete = false
      yield* search.searchNode(row, budget)
      search = current()
    }
  }
}

/** Why a node is turned down by what was found there. @throws {Error} what failed, in Kubernetes' words */
function verdictOf(found: NodeResult | undefined): Verdict | undefined {
  switch (found?.kind) {
    case undefined:
    case 'allocated':
      return undefined
    case 'none':
      return CANNOT
    case 'invalid':
      return INVALID_POOLS
    case 'timed-out':
      return TIMED_OUT
    case 'failed':
      throw new Error(`running "${NAME}" filter plugin: ${messageOf(found.error)}`)
  }
}

function mayHoldDevices({ spec }: Readonly<Pod>): boolean {
  if ((spec.resourceClaims ?? []).length > 0) return true
  const all = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  return all.some((c) => Object.keys(c.resources?.requests ?? {}).some(mayBeDevices))
}

/** A claim of the pod came or changed, or one of others gave devices back. */
function isOwnOrFreed({ pod, namespace, uid }: PodInfo, { object, oldObject, gone }: ClusterEvent): boolean {
  if (object === undefined) return true
  const { name = '', ownerReferences = [] } = object.metadata
  const named = [...(pod.spec.resourceClaims ?? []), ...(pod.status?.resourceClaimStatuses ?? [])].some((c) => c.resourceClaimName === name)
  // Without one of its claims the pod stays where it is.
  if (object.metadata.namespace === namespace && (named || ownerReferences.some((o) => o.uid === uid))) return gone !== true
  const held = allocationOf(gone ? object : oldObject)
  return held !== undefined && (gone === true || !equalJson(held, allocationOf(object)))
}

const allocationOf = (object: KubeObject | undefined) => object && readPath(object, ['status', 'allocation'])

const othersOf = (claim: ResourceClaim, pod: PodInfo) => (claim.status?.reservedFor ?? []).filter((r) => r.uid !== pod.uid).length

function needsClaims(pod: PodInfo, listers: Listers): readonly ResourceClaim[] {
  const needs = needsOf(pod, listers)
  return needs === undefined || 'missing' in needs ? [] : needs.claims
}

/** Why claims that are to be allocated cannot be, wherever. */
function refusalOf(open: readonly ResourceClaim[], listers: Listers): Verdict | undefined {
  for (const { spec } of open) {
    for (const { name, exactly, firstAvailable = [] } of spec?.devices?.requests ?? []) {
      const wanted =
        exactly !== undefined
          ? [{ shown: name, of: exactly.deviceClassName }]
          : firstAvailable.map((r) => ({ shown: `${name}/${r.name}`, of: r.deviceClassName }))
      const absent = wanted.find(({ of }) => listers.get('deviceclasses', '', of) === undefined)
      if (absent !== undefined) return unresolvable(NAME, `request ${absent.shown}: device class ${absent.of} does not exist`)
    }
  }
  return undefined
}
