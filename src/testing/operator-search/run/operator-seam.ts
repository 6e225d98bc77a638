import { messageOf } from '../../../base/message-of.ts'
import { orAborted } from '../../../base/on-abort.ts'
import type { ApiCall, Transport, WatchEvent } from '../../../machinery/api-call.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { isStatus, StatusError } from '../../../machinery/status-error.ts'
import type { OperatorCall } from '../history.ts'
import type { EventHold } from './event-hold.ts'

/** The past that a run of the operator sees at first, as from an API server that lags behind. */
export interface PastView {
  /** The resource version at which the API server does not advance. */
  readonly revision: string
  /** `GROUP/RESOURCE` of what is read from it; undefined: everything. */
  readonly resources?: ReadonlySet<string>
  /** Resolves when the API server has caught up. */
  readonly over: Promise<void>
}

/** What is done to the calls of one run. */
export interface SeamRules {
  /** Writes down a call; undefined: no more are accepted. */
  readonly begin: (call: ApiCall) => OperatorCall | undefined
  /** The operator waits for it before and after each of its writes. A `StatusError` before one is its response. */
  readonly aroundWrite?: (call: OperatorCall, when: 'before' | 'after') => Promise<void>
  /** Called with a crash that the operator has survived. */
  readonly survived: (how: string) => void
  /** The newest revision that this run has seen of each resource (`GROUP/RESOURCE`). */
  readonly seen: Map<string, string>
  readonly view: () => PastView | undefined
  readonly holds: ReadonlyMap<string, EventHold>
  /** How many writes are held back: nothing waits for them. */
  readonly heldWrites: () => number
  /** Aborted with the run: nothing passes any more. */
  readonly signal: AbortSignal
}

/** A killed run gets no response: an error would let a loop that ignores errors run for ever. */
const NEVER = new Promise<never>(() => {})

/** `GROUP/RESOURCE`, as in a plan. */
export const resourceKey = ({ group, resource }: { readonly group: string; readonly resource: string }) => `${group}/${resource}`

/** `GROUP/RESOURCE` in words: `databases.example.com`, `configmaps`. */
export const resourceText = (key: string) => key.split('/').reverse().filter(Boolean).join('.')

/** The transport of one run of the operator: each call passes here, and may meet a fault. */
export function operatorSeam(inner: Transport, rules: SeamRules): Transport {
  const pass = async (call: ApiCall): Promise<KubeObject> => {
    const { signal } = rules
    if (signal.aborted) return NEVER
    const noted = rules.begin(call)
    if (noted === undefined) return NEVER
    try {
      if (noted.writes) await rules.aroundWrite?.(noted, 'before')
      signal.throwIfAborted()
      const answer = await inner.call(seenFrom(rules.view(), call))
      noted.code = call.verb === 'create' ? 201 : 200
      const revision = answer.metadata?.resourceVersion
      if (revision !== undefined) noted.revision = revision
      if (revision !== undefined && !noted.writes) rules.seen.set(resourceKey(call.target), revision)
      return answer
    } catch (error) {
      if (!signal.aborted) {
        noted.code = isStatus(error) ? error.code : 0
        noted.message = messageOf(error)
      }
      throw error
    } finally {
      if (noted.writes) await rules.aroundWrite?.(noted, 'after')
      // A process that was killed gets no response.
      signal.throwIfAborted()
    }
  }
  return {
    connect: inner.connect,
    page: (call) => inner.page(call),
    call: pass,
    watch: (call) => heldWatch(inner, call, rules),
  }
}

/** Reads that accept a cached state are served from the past; the others are consistent reads, which no API server answers from there. */
export function seenFrom(view: PastView | undefined, call: ApiCall): ApiCall {
  const { verb, query } = call
  if (view === undefined || verb !== 'list' || query.resourceVersion === undefined || !covers(view, call)) return call
  const past = { resourceVersion: view.revision, resourceVersionMatch: 'Exact' }
  return { ...call, query: { ...query, ...past } }
}

/** Whether a view is about what a call reads. */
export const covers = ({ resources }: PastView, { target }: ApiCall) => resources === undefined || resources.has(resourceKey(target))

async function* heldWatch(inner: Transport, call: ApiCall, rules: SeamRules): AsyncGenerator<readonly WatchEvent[]> {
  const signal = call.signal === undefined ? rules.signal : AbortSignal.any([call.signal, rules.signal])
  if (signal.aborted || rules.begin(call) === undefined) return await NEVER
  const view = rules.view()
  if (view !== undefined && covers(view, call)) await orAborted(view.over, signal)
  for await (const batch of inner.watch({ ...call, signal })) {
    const hold = rules.holds.get(resourceKey(call.target))
    if (hold !== undefined) await orAborted(hold.over, signal)
    if (hold?.ending === 'relist') throw heldBack()
    if (signal.aborted) return
    const revision = batch.at(-1)?.object.metadata?.resourceVersion
    if (revision !== undefined) rules.seen.set(resourceKey(call.target), revision)
    yield batch
  }
}

/** How a watch fails whose events were held back: the client has to list again. */
export const heldBack = () => new StatusError({ code: 410, reason: 'Expired', message: 'too old resource version: events were held back' })
