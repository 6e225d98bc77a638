import type { Clock } from '../../base/clock.ts'
import { microTimestamp } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { pause } from '../../base/pause.ts'
import { Signal } from '../../base/signal.ts'
import { semanticEqual } from '../../machinery/equal.ts'
import { tryParseQuantity } from '../../machinery/quantity.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { LEASES, NODES } from '../../resources/refs.ts'
import type { ContainerImage, Node, NodeStatus, ResourceList } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { EventRecorder } from '../../sdk/controller/event-recorder.ts'
import type { Image, Runtime } from '../runtime/runtime.ts'
import {
  conditionEvents,
  type NodeIdentity,
  type NodeStatusInput,
  type NodeStatusSource,
  newNode,
  nodeImages,
  nodeStatus,
} from './node-object.ts'
import { RuntimeHealth } from './runtime-health.ts'

export interface NodeKeeperDeps {
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  readonly events: EventRecorder
  readonly sources: readonly NodeStatusSource[]
  readonly runtime: Runtime
  /** Whether deferrable writes should wait because many pod statuses are being written. Default: never. */
  readonly crowded?: () => boolean
}

/** As in the kubelet: a lease of 40 s is renewed every 10 s, and an unchanged status is written every 5 min. */
const LEASE_SECONDS = 40
const RENEW_MS = 10_000
const REPORT_MS = 300_000
/** Delay before a status that others keep changing is written again. */
const DISPUTE_MS = 1_000

/** Lists of a node's status that are absent when empty; null removes one. */
interface PassingLists {
  readonly images?: readonly ContainerImage[] | null
  readonly volumesInUse?: readonly string[] | null
}

/** Maintains one node's object and lease. */
export class NodeStatusManager {
  readonly #node: NodeIdentity
  readonly #deps: NodeKeeperDeps
  readonly #health: RuntimeHealth
  #object: Node | undefined
  /** Whether its Node was cordoned in the last version. */
  #cordoned = false
  #pulled: readonly Image[] = []
  #images: readonly ContainerImage[] = []
  readonly #changed = new Signal()

  constructor(node: NodeIdentity, deps: NodeKeeperDeps) {
    this.#node = node
    this.#deps = deps
    this.#health = new RuntimeHealth({
      runtime: deps.runtime,
      clock: deps.clock,
      changed: () => this.#healthChanged(),
      listingFailed: (why) => this.#event('ContainerGCFailed', why, 'Warning'),
    })
  }

  get uid(): string | undefined {
    return this.#object?.metadata.uid
  }

  /** Handles a new version of the Node. */
  observe(object: Node): void {
    this.#object = object
    this.#reportCordon(object)
    if (this.#needsReport(object)) this.#changed.raise()
  }

  /** Creates the Node, or takes over the existing one. */
  async register(): Promise<void> {
    const { client, clock } = this.#deps
    const { name } = this.#node
    this.#event('Starting', 'Starting kubelet.')
    let created: Node | undefined
    try {
      created = await client.create(NODES, newNode(this.#node, clock.now(), this.#deps.sources))
      this.#object = created
    } catch (error) {
      if (!isStatus(error, 'AlreadyExists')) throw error
      this.#object = await client.get({ ...NODES, name })
    }
    // Of a machine that went on without its agent there is nothing new to say.
    const resumed = created === undefined && this.#node.takeUp !== undefined
    if (!resumed) this.#event('NodeAllocatableEnforced', 'Updated Node Allocatable limit across pods')
    if (created === undefined) await this.#takeOver(this.#object, resumed)
    await this.#renew()
    if (created !== undefined) this.#reportConditions(undefined, created.status)
  }

  async #takeOver(node: Node, resumed: boolean): Promise<void> {
    this.#takeUp(node)
    for (const source of this.#deps.sources) await source.takeOver?.(node)
    // The kubelet reports pressure anew; readiness only if it was false before.
    const { conditions = [], ...rest } = node.status ?? {}
    await this.#report({ ...rest, conditions: conditions.filter((c) => resumed || c.type === 'Ready') })
  }

  /** Renews the lease and reports the status until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    for (const source of this.#deps.sources) source.watch?.(() => this.#changed.raise(), signal)
    await Promise.all([this.#renewals(signal), this.#imageLooks(signal), this.#reports(signal), this.#health.run(signal)])
  }

  #input(): NodeStatusInput {
    return { nowMs: this.#deps.clock.now(), sources: this.#deps.sources, notReady: this.#fault }
  }

  /** Why the node cannot run pods, formatted as Go's aggregated errors. */
  get #fault(): string | undefined {
    const faults = [this.#health.fault, ...this.#deps.sources.map((s) => s.notReady?.())].filter((f) => f !== undefined)
    return faults.length > 1 ? `[${faults.join(', ')}]` : faults[0]
  }

  /** Takes over machine and boot ids: a machine that kept running without its agent is the same; otherwise it was rebooted. */
  #takeUp({ status }: Node): void {
    const { machineID = '', bootID = '' } = status?.nodeInfo ?? {}
    const { name, ids, takeUp } = this.#node
    if (bootID === '' || bootID === ids.bootId) return
    if (takeUp !== undefined) takeUp({ machineId: machineID, bootId: bootID })
    else this.#event('Rebooted', `Node ${name} has been rebooted, boot id: ${ids.bootId}`, 'Warning')
  }

  #reportCordon({ spec }: Node): void {
    const cordoned = spec?.unschedulable === true
    if (cordoned === this.#cordoned) return
    this.#cordoned = cordoned
    const reason = cordoned ? 'NodeNotSchedulable' : 'NodeSchedulable'
    this.#event(reason, `Node ${this.#node.name} status is now: ${reason}`)
  }

  #healthChanged(): void {
    this.#changed.raise()
  }

  #reportConditions(before: NodeStatus | undefined, after: NodeStatus | undefined): void {
    for (const reason of conditionEvents(before, after)) this.#event(reason, `Node ${this.#node.name} status is now: ${reason}`)
  }

  /** Every quarter of the lease's duration, as in the kubelet; under load every half, which leaves the same margin. */
  async #renewals(signal: AbortSignal): Promise<void> {
    const { clock, crowded } = this.#deps
    while (!signal.aborted) {
      await pause(clock, RENEW_MS, signal, 'heartbeat')
      if (crowded?.() === true) await pause(clock, RENEW_MS, signal)
      if (signal.aborted) return
      await this.#attempt('renew its lease', () => this.#renew())
    }
  }

  /** As often as the kubelet, which looks at its images with each renewal. */
  async #imageLooks(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(this.#deps.clock, RENEW_MS, signal, 'heartbeat')
      if (!signal.aborted) await this.#attempt('look at its images', () => this.#lookAtImages(signal))
    }
  }

  /** New images are reported with the next status, as in the kubelet at most every few seconds. */
  async #lookAtImages(signal: AbortSignal): Promise<void> {
    const pulled = await this.#deps.runtime.images(signal)
    if (pulled.length === this.#pulled.length && pulled.every((image, i) => image === this.#pulled[i])) return
    this.#pulled = pulled
    this.#images = nodeImages(pulled)
    if (this.#object !== undefined && this.#needsReport(this.#object)) this.#changed.raise()
  }

  #passing(standing: NodeStatus | undefined): PassingLists {
    const inUse = this.#deps.sources.find((s) => s.volumesInUse)?.volumesInUse?.()
    const images = listOrRemoval(this.#images, standing?.images)
    const volumesInUse = inUse && listOrRemoval(inUse, standing?.volumesInUse)
    return { ...(images !== undefined && { images }), ...(volumesInUse !== undefined && { volumesInUse }) }
  }

  async #reports(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#pause(signal)
      if (signal.aborted) return
      if (this.#object !== undefined) await this.#attempt('report its status', () => this.#report())
      // Without a delay, two writers that disagree would loop.
      if (this.#object !== undefined && this.#needsReport(this.#object)) await pause(this.#deps.clock, DISPUTE_MS, signal)
    }
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    this.#changed.lower()
    if (this.#object !== undefined && this.#needsReport(this.#object)) return
    await this.#changed.wait({ clock, untilMs: clock.now() + REPORT_MS, signal, kind: 'heartbeat' })
  }

  /**
   * Whether the object has other amounts than this agent reports, or an unknown readiness: after a pause of the process (a closed laptop, a
   * debugger) the status is written at once.
   */
  #needsReport(object: Node): boolean {
    const status = object.status ?? {}
    const wanted = nodeStatus(this.#node, status, this.#input())
    const { conditions = [] } = status
    const own = wanted.conditions
    if (own.some((o) => o.type !== 'Ready' && conditions.some((c) => c.type === o.type && c.status !== o.status))) return true
    if (conditions.some((c) => c.status === 'Unknown' && own.some((o) => o.type === c.type))) return true
    const fault = this.#fault
    const reported = conditions.find((c) => c.type === 'Ready')
    if (fault !== undefined ? reported?.message !== fault : reported?.reason === 'KubeletNotReady') return true
    const { images, volumesInUse } = this.#passing(status)
    if (images !== undefined && !semanticEqual(images, status.images)) return true
    if (volumesInUse !== undefined && !semanticEqual(volumesInUse, status.volumesInUse)) return true
    return !sameAmounts(status.allocatable, wanted.allocatable) || !this.#isCapacityReported(status)
  }

  #isCapacityReported({ capacity = {} }: NodeStatus): boolean {
    return this.#deps.sources.every((s) => Object.entries(s.capacity()).every(([name, amount]) => sameAmount(capacity[name], amount)))
  }

  /** `before`: the last reported status. */
  async #report(before = this.#object?.status): Promise<void> {
    const { client } = this.#deps
    const target = { ...NODES, name: this.#node.name, subresource: 'status' }
    const standing = this.#object?.status
    const status = nodeStatus(this.#node, standing, this.#input())
    // A resource that left capacity has to be removed from allocatable explicitly.
    const gone = Object.keys(standing?.allocatable ?? {}).filter((k) => !Object.hasOwn(status.allocatable, k))
    const allocatable = { ...status.allocatable, ...Object.fromEntries(gone.map((k) => [k, null])) }
    const { capacity, ...rest } = status
    // Resources that others advertise in capacity are theirs to change.
    const sourced = Object.fromEntries(this.#deps.sources.flatMap((s) => Object.keys(s.capacity())).map((k) => [k, capacity[k]]))
    const own = Object.keys(sourced).length > 0 ? { capacity: sourced } : {}
    this.#object = await client.patch(target, 'merge', { status: { ...rest, ...own, ...this.#passing(standing), allocatable } })
    this.#reportConditions(before, status)
  }

  async #renew(): Promise<void> {
    const { client, clock } = this.#deps
    const { name } = this.#node
    const target = { ...LEASES, namespace: 'kube-node-lease', name }
    const spec = { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime: microTimestamp(clock.now()) }
    try {
      await client.patch(target, 'merge', { spec })
    } catch (error) {
      if (!isStatus(error, 'NotFound')) throw error
      const uid = this.#object?.metadata.uid ?? ''
      const metadata = { name, namespace: 'kube-node-lease', ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }] }
      await client.create(
        { ...LEASES, namespace: 'kube-node-lease' },
        { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec },
      )
    }
  }

  async #attempt(what: string, act: () => Promise<void>): Promise<void> {
    try {
      await act()
    } catch (error) {
      this.#deps.log.warn(`node ${this.#node.name} could not ${what}`, { error })
      await this.#deps.clock.sleep(200)
    }
  }

  #event(reason: string, message: string, type: 'Normal' | 'Warning' = 'Normal'): void {
    const { name } = this.#node
    // The kubelet uses the node's name as the UID in these references.
    this.#deps.events.record({ regarding: { kind: 'Node', name, uid: name }, type, reason, message })
  }
}

/** The value of a list in a merge patch: undefined if it is empty and absent already. */
function listOrRemoval<T>(wanted: readonly T[], standing: readonly T[] | undefined): readonly T[] | null | undefined {
  if (wanted.length > 0) return wanted
  return standing === undefined ? undefined : null
}

function sameAmounts(a: ResourceList | undefined, b: ResourceList): boolean {
  const keys = Object.keys(b)
  return a !== undefined && Object.keys(a).length === keys.length && keys.every((k) => sameAmount(a[k], b[k]))
}

/** The server stores amounts in their canonical form: `96636764000` comes back as `96636764k`. */
function sameAmount(a: string | undefined, b: string | undefined): boolean {
  if (a === b || a === undefined || b === undefined) return a === b
  const [left, right] = [tryParseQuantity(a), tryParseQuantity(b)]
  return left !== undefined && right !== undefined && left.equals(right)
}
