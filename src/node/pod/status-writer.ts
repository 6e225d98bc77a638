import type { Logger } from '../../base/logger.ts'
import type { Json, JsonObject, KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { Client } from '../../sdk/client/client.ts'
import { PODS } from '../../sdk/client/refs.ts'
import type { Pod } from './pod-types.ts'

/**
 * `gone`: the pod does not exist any more, or another one has its name. `refused`: it stands, and the API server does not take this status; it is to be
 * tried again later.
 */
export type WriteOutcome = 'written' | 'unchanged' | 'refused' | 'gone'

interface Condition extends JsonObject {
  readonly type: string
}

/**
 * Writes a pod's status as a strategic patch of what changed: conditions of others stand, and so do fields that are not the agent's. What others changed of
 * the agent's own is written again.
 */
export class StatusWriter {
  readonly #client: Client
  readonly #log: Logger
  /** What the last patch was made from: the status that was written, or the one that others made of it. */
  #base: JsonObject
  /** The status as the API has it, and its resourceVersion. */
  #stands: JsonObject
  #version: string

  constructor(pod: Pod, deps: { readonly client: Client; readonly log: Logger }) {
    this.#client = deps.client
    this.#log = deps.log
    this.#stands = pod.status as JsonObject
    this.#base = this.#stands
    this.#version = pod.metadata.resourceVersion ?? ''
  }

  /** The pod as the API has it now. */
  observe(pod: Pod): void {
    if (!isNewer(pod.metadata.resourceVersion ?? '', this.#version)) return
    const status = pod.status as JsonObject
    const foreign = OWN.some((field) => canonical(status[field]) !== canonical(this.#stands[field]))
    this.#version = pod.metadata.resourceVersion ?? ''
    this.#stands = status
    if (foreign) this.#base = status
  }

  async write(pod: Pod, status: JsonObject): Promise<WriteOutcome> {
    const patch = statusPatch(this.#base, status)
    if (patch === undefined) return 'unchanged'
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
  'podIP',
  'podIPs',
  'initContainerStatuses',
  'containerStatuses',
  'ephemeralContainerStatuses',
  'startTime',
  'resources',
]

/** The strategic patch that makes one status the other; undefined when nothing differs. Pure. */
export function statusPatch(before: JsonObject, after: JsonObject): JsonObject | undefined {
  const patch: JsonObject = {}
  for (const [name, value] of Object.entries(after)) {
    if (name === 'conditions' || canonical(before[name]) === canonical(value)) continue
    // Lists that are merged by key are to be replaced whole.
    patch[name] = (name === 'podIPs' || name === 'hostIPs') && Array.isArray(value) ? [{ $patch: 'replace' }, ...value] : value
  }
  for (const name of OWN) if (before[name] !== undefined && before[name] !== null && after[name] === undefined) patch[name] = null
  delete patch.conditions
  const standing = (before.conditions ?? []) as Condition[]
  const wanted = (after.conditions ?? []) as Condition[]
  const changed = wanted.filter((c) => canonical(standing.find((s) => s.type === c.type)) !== canonical(c))
  if (changed.length > 0) {
    // Conditions are merged field by field: what one no longer says has to be taken away.
    patch.conditions = changed.map((c) => ({ reason: null, message: null, ...c }))
    patch['$setElementOrder/conditions'] = wanted.map(({ type }) => ({ type }))
  }
  return Object.keys(patch).length === 0 ? undefined : patch
}

/** Both are numbers in every store that we know; where they are not, any other version counts as newer. */
function isNewer(version: string, than: string): boolean {
  if (/^\d{1,19}$/.test(version) && /^\d{1,19}$/.test(than)) return BigInt(version) > BigInt(than)
  return version !== than
}

/** Text that is equal for equal values, whatever the order of their fields; null, as in patches, is nothing. */
function canonical(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.keys(value).sort()
  return `{${fields
    .map((k) => [k, canonical(value[k])])
    .flatMap(([k, v]) => (v === '' ? [] : `${k}:${v}`))
    .join()}}`
}
