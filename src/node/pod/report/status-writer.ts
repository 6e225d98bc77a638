import { actFor } from '../../../base/cause.ts'
import type { Logger } from '../../../base/logger.ts'
import { equalJson } from '../../../machinery/equal.ts'
import { ignoring } from '../../../machinery/ignoring.ts'
import { isObject, type Json, type JsonObject, type KubeObject } from '../../../machinery/object.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import { PODS } from '../../../resources/refs.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { Pod } from '../../types/pod.ts'

/**
 * `gone`: the pod does not exist any more, or its name belongs to another pod. `refused`: the API server refuses this status; retry later.
 * `unmirrored`: a static pod has no mirror pod to write to.
 */
export type WriteOutcome = 'written' | 'unchanged' | 'refused' | 'gone' | 'unmirrored'

/** Receives the status of a static pod for its mirror pod. */
export interface MirrorSink {
  /** Handles a new version of the mirror pod; undefined: it is deleted. True if it has to be corrected. */
  observe(mirror: KubeObject | undefined): boolean
  write(pod: Pod, status: JsonObject, dropped?: ReadonlySet<string>): Promise<WriteOutcome>
}

export interface StatusWriterDeps {
  readonly client: Client
  readonly log: Logger
  /** Called when others wrote to the status while this writer did. */
  readonly changedByOthers: () => void
}

interface Condition extends JsonObject {
  readonly type: string
}

/**
 * Writes a pod's status as a strategic merge patch of the changes. Conditions and fields of others are kept. If others changed fields that
 * the agent owns, they are written again.
 */
export class StatusWriter {
  readonly #client: Client
  readonly #log: Logger
  /** The base of the next patch: the status that was written last, or what others made of it. */
  #base: JsonObject
  /** The status in the API, and its resourceVersion. */
  #stored: JsonObject
  #version: string
  /** The version that others wrote last: the reports of the node follow from it. */
  #cause: string

  /** The version that was seen during a write: usually the write's own echo, which comes before its response. */
  #seen: Pod | undefined
  #writing = false
  readonly #changedByOthers: () => void

  constructor(pod: Pod, deps: StatusWriterDeps) {
    this.#client = deps.client
    this.#log = deps.log
    this.#changedByOthers = deps.changedByOthers
    this.#stored = pod.status as JsonObject
    this.#base = this.#stored
    this.#version = this.#cause = pod.metadata.resourceVersion ?? ''
  }

  /** Handles a new version of the pod. True if its status is not the last known one: others have written it. */
  observe(pod: Pod): boolean {
    if (this.#writing) {
      this.#seen = pod
      return false
    }
    if (!isNewer(pod.metadata.resourceVersion ?? '', this.#version)) return false
    const status = pod.status as JsonObject
    const foreign = !same(status, this.#stored)
    if (OWN.some((field) => !same(status[field], this.#stored[field]))) this.#base = status
    this.#version = this.#cause = pod.metadata.resourceVersion ?? ''
    this.#stored = status
    return foreign
  }

  /** The version of the pod that has this status; undefined: its status differs, or is being written. */
  versionWith(status: JsonObject): string | undefined {
    return !this.#writing && same(status, this.#stored) ? this.#version : undefined
  }

  /** `dropped`: conditions that are removed unless the status has them. */
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
      const written = await actFor({ revision: this.#cause, controller: 'kubelet' }, () =>
        this.#client.patch({ ...target, subresource: 'status' }, 'strategic', { metadata: { uid }, status: patch }),
      )
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
    this.#stored = (standing.status ?? {}) as JsonObject
    this.#version = standing.metadata.resourceVersion ?? ''
    this.#base = base
  }

  async #find(target: Parameters<Client['get']>[0]): Promise<KubeObject | undefined> {
    return this.#client.get(target).catch(ignoring('NotFound'))
  }
}

/** Fields that this agent owns: absent ones are removed from the API; all other fields are left alone. */
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

/** Conditions of the agent that are removed when they no longer hold. */
export const PASSING: ReadonlySet<string> = new Set(['PodResizePending', 'PodResizeInProgress'])

/** The strategic merge patch from one status to the other; undefined if they are equal. Pure. */
export function statusPatch(before: JsonObject, after: JsonObject, dropped: ReadonlySet<string> = PASSING): JsonObject | undefined {
  const patch: JsonObject = {}
  for (const [name, value] of Object.entries(after)) {
    if (value === undefined || name === 'conditions' || same(before[name], value)) continue
    // Lists that are merged by key have to be replaced as a whole.
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
    // Conditions are merged field by field: fields that are gone have to be removed explicitly.
    patch.conditions = [
      ...changed.map((c) => ({ reason: null, message: null, ...c })),
      ...over.map(({ type }) => ({ type, $patch: 'delete' })),
    ]
    patch['$setElementOrder/conditions'] = wanted.map(({ type }) => ({ type }))
  }
  return Object.keys(patch).length === 0 ? undefined : patch
}

/** Objects are merged field by field: fields that are gone are set to null. */
function withRemovals(before: Json | undefined, after: Json): Json {
  if (!isObject(before) || !isObject(after)) return after
  const gone = Object.keys(before).filter((k) => !Object.hasOwn(after, k))
  const kept = Object.entries(after).map(([k, v]): [string, Json] => [k, v === undefined ? null : withRemovals(before[k], v)])
  return Object.fromEntries([...kept, ...gone.map((k): [string, Json] => [k, null])])
}

/** Resource versions are compared as numbers; if they are not numeric, any other version counts as newer. */
function isNewer(version: string, than: string): boolean {
  if (/^\d{1,19}$/.test(version) && /^\d{1,19}$/.test(than)) return BigInt(version) > BigInt(than)
  return version !== than
}

/** Equality regardless of the order of fields; null, as in patches, equals absence. */
const same = (a: Json | undefined, b: Json | undefined) => equalJson(a ?? null, b ?? null)
