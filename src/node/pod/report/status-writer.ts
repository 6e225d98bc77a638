import type { Logger } from '../../../base/logger.ts'
import { equalJson } from '../../../machinery/equal.ts'
import { isObject, type Json, type JsonObject, type KubeObject } from '../../../machinery/object.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import { PODS } from '../../../resources/refs.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { Pod } from '../../types/pod.ts'

/**
 * `gone`: the pod does not exist any more, or another one has its name. `refused`: it stands, and the API server does not take this
 * status; it is to be tried again later. `unmirrored`: a static pod has no mirror to write to.
 */
export type WriteOutcome = 'written' | 'unchanged' | 'refused' | 'gone' | 'unmirrored'

/** Where the statuses of a static pod go: to its mirror. */
export interface MirrorSink {
  /** The mirror as the API has it now; undefined: it has gone. True when there is something to put right. */
  observe(mirror: KubeObject | undefined): boolean
  write(pod: Pod, status: JsonObject, dropped?: ReadonlySet<string>): Promise<WriteOutcome>
}

export interface StatusWriterDeps {
  readonly client: Client
  readonly log: Logger
  /** Told when others wrote to the status while this writer did. */
  readonly changedByOthers: () => void
}

interface Condition extends JsonObject {
  readonly type: string
}

/**
 * Writes a pod's status as a strategic patch of what changed: conditions of others stand, and so do fields that are not the agent's. What
 * others changed of the agent's own is written again.
 */
export class StatusWriter {
  readonly #client: Client
  readonly #log: Logger
  /** What the last patch was made from: the status that was written, or the one that others made of it. */
  #base: JsonObject
  /** The status as the API has it, and its resourceVersion. */
  #stands: JsonObject
  #version: string

  /** What was seen while a write was under way: most often its own echo, which comes before its answer. */
  #seen: Pod | undefined
  #writing = false
  readonly #changedByOthers: () => void

  constructor(pod: Pod, deps: StatusWriterDeps) {
    this.#client = deps.client
    this.#log = deps.log
    this.#changedByOthers = deps.changedByOthers
    this.#stands = pod.status as JsonObject
    this.#base = this.#stands
    this.#version = pod.metadata.resourceVersion ?? ''
  }

  /** The pod as the API has it now. True when its status is another one than what is known to stand: somebody else has written it. */
  observe(pod: Pod): boolean {
    if (this.#writing) {
      this.#seen = pod
      return false
    }
    if (!isNewer(pod.metadata.resourceVersion ?? '', this.#version)) return false
    const status = pod.status as JsonObject
    const foreign = !same(status, this.#stands)
    if (OWN.some((field) => !same(status[field], this.#stands[field]))) this.#base = status
    this.#version = pod.metadata.resourceVersion ?? ''
    this.#stands = status
    return foreign
  }

  /** The version of the pod whose status is known to be this one; undefined: another one stands, or it is being written. */
  versionWith(status: JsonObject): string | undefined {
    return !this.#writing && same(status, this.#stands) ? this.#version : undefined
  }

  /** `dropped`: conditions that go where the status does not name them. */
  async write(pod: Pod, status: JsonObject, dropped: ReadonlySet<string> = PASSING): Promise<WriteOutcome> {
    const patch = statusPatch(this.#base, status, dropped)
    if (patch === undefined) return 'unchanged'
    this.#writing = true
    try {
      return await this.#send(pod, status, patch)
    } finally {
      this.#writing = false
      const seen = this.#seen
      this.#seen = undefined
      if (seen !== undefined && this.observe(seen)) this.#changedByOthers()
    }
  }

  async #send(pod: Pod, status: JsonObject, patch: JsonObject): Promise<WriteOutcome> {
    const { namespace = '', name = '', uid = '' } = pod.metadata
    const target = { ...PODS, namespace, name }
    try {
      const written = await this.#client.patch({ ...target, subresource: 'status' }, 'strategic', { metadata: { uid }, status: patch })
      this.#take(written, status)
      return 'written'
    } catch (error) {
      if (!isStatus(error, 'NotFound', 'Conflict', 'Invalid', 'Forbidden')) throw error
      const standing = await this.#find(target)
      if (standing === undefined || standing.metadata.uid !== uid) return 'gone'
      this.#log.warn('the status of a pod was refused', { pod: `${namespace}/${name}`, error })
      this.#take(standing, (standing.status ?? {}) as JsonObject)
      return 'refused'
    }
  }

  #take(standing: KubeObject, base: JsonObject): void {
    this.#stands = (standing.status ?? {}) as JsonObject
    this.#version = standing.metadata.resourceVersion ?? ''
    this.#base = base
  }

  async #find(target: Parameters<Client['get']>[0]): Promise<KubeObject | undefined> {
    try {
      return await this.#client.get(target)
    } catch (error) {
      if (isStatus(error, 'NotFound')) return undefined
      throw error
    }
  }
}

/** Fields that this agent owns: those that vanished are taken away; all others are left alone. */
const OWN = [
  'phase',
  'conditions',
  'reason',
  'message',
  'hostIP',
  'hostIPs',
  'podIP',
  'podIPs',
  'initContainerStatuses',
  'containerStatuses',
  'ephemeralContainerStatuses',
  'startTime',
  'resources',
  'allocatedResources',
]

/** Conditions of the agent's that go when they no longer hold. */
export const PASSING: ReadonlySet<string> = new Set(['PodResizePending', 'PodResizeInProgress'])

/** The strategic patch that makes one status the other; undefined when nothing differs. Pure. */
export function statusPatch(before: JsonObject, after: JsonObject, dropped: ReadonlySet<string> = PASSING): JsonObject | undefined {
  const patch: JsonObject = {}
  for (const [name, value] of Object.entries(after)) {
    if (value === undefined || name === 'conditions' || same(before[name], value)) continue
    // Lists that are merged by key are to be replaced whole.
    const replaced = (name === 'podIPs' || name === 'hostIPs') && Array.isArray(value)
    patch[name] = replaced ? [{ $patch: 'replace' }, ...value] : withRemovals(before[name], value)
  }
  for (const name of OWN) if (before[name] !== undefined && before[name] !== null && after[name] === undefined) patch[name] = null
  delete patch.conditions
  const standing = (before.conditions ?? []) as Condition[]
  const wanted = (after.conditions ?? []) as Condition[]
  const over = standing.filter((s) => dropped.has(s.type) && !wanted.some((w) => w.type === s.type))
  const changed = wanted.filter(
    (c) =>
      !same(
        standing.find((s) => s.type === c.type),
        c,
      ),
  )
  if (changed.length + over.length > 0) {
    // Conditions are merged field by field: what one no longer says has to be taken away.
    patch.conditions = [
      ...changed.map((c) => ({ reason: null, message: null, ...c })),
      ...over.map(({ type }) => ({ type, $patch: 'delete' })),
    ]
    patch['$setElementOrder/conditions'] = wanted.map(({ type }) => ({ type }))
  }
  return Object.keys(patch).length === 0 ? undefined : patch
}

/** Objects are merged field by field: what is gone has to be named. */
function withRemovals(before: Json | undefined, after: Json): Json {
  if (!isObject(before) || !isObject(after)) return after
  const gone = Object.keys(before).filter((k) => !Object.hasOwn(after, k))
  const kept = Object.entries(after).map(([k, v]): [string, Json] => [k, v === undefined ? null : withRemovals(before[k], v)])
  return Object.fromEntries([...kept, ...gone.map((k): [string, Json] => [k, null])])
}

/** Both are numbers in every store that we know; where they are not, any other version counts as newer. */
function isNewer(version: string, than: string): boolean {
  if (/^\d{1,19}$/.test(version) && /^\d{1,19}$/.test(than)) return BigInt(version) > BigInt(than)
  return version !== than
}

/** Equal whatever the order of their fields; null, as in patches, is nothing. */
const same = (a: Json | undefined, b: Json | undefined) => equalJson(a ?? null, b ?? null)
