import { type Clock, timestamp } from '../../base/clock.ts'
import { onAbort } from '../../base/on-abort.ts'
import type { Random } from '../../base/random.ts'
import type { ConnectCall } from '../../machinery/api-call.ts'
import { cloneJson, type Draft, deepFreeze, type JsonObject, type KubeObject, setOwn } from '../../machinery/object.ts'
import { alreadyExists, badRequest, expired, methodNotAllowed, notFound, notImplemented, staleWrite } from '../../machinery/status-error.ts'
import type { Binding, Pod } from '../../resources/types/core.ts'
import type { ApiCall, Target, Transport, WatchEvent } from './client.ts'

/** What the tests of a component can do to the collection of objects behind its client. */
export interface MemoryTransport extends Transport {
  /** Every call that was made, watches included, in order. */
  readonly calls: readonly ApiCall[]
  /** Runs before every call; throw a `StatusError` to make it fail. */
  intercept: (call: ApiCall) => void | Promise<void>
  /** Drops history: watches from earlier revisions get 410. */
  compact(): void
  /** Ends all running watches. */
  breakWatches(): void
  /** All objects of a resource, for assertions. */
  objects<T extends KubeObject = KubeObject>(resource: string): readonly T[]
}

interface Recorded {
  readonly revision: number
  readonly collection: string
  readonly event: WatchEvent
}

/** Objects in memory behind the client's seam, without rules, schemas or authorization: for tests of what uses a client. */
export function memoryTransport(deps: { readonly clock: Clock; readonly random: Random }): MemoryTransport {
  const objects = new Map<string, KubeObject>()
  const history: Recorded[] = []
  const watchers = new Set<{ wake: () => void; broken: boolean }>()
  const calls: ApiCall[] = []
  let revision = 1
  let compacted = 0

  const commit = (target: Target, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): KubeObject => {
    revision++
    object.metadata.resourceVersion = String(revision)
    const key = keyOf(target, object.metadata.namespace, object.metadata.name)
    if (type === 'DELETED') objects.delete(key)
    else objects.set(key, object)
    history.push({ revision, collection: collectionOf(target), event: { type, object: deepFreeze(object) } })
    for (const watcher of watchers) watcher.wake()
    return object
  }
  const find = (target: Target): KubeObject => {
    const found = objects.get(keyOf(target, target.namespace, target.name))
    if (found === undefined) throw notFound(target, target.name ?? '')
    return found
  }
  const selected = (call: ApiCall) => (object: Readonly<KubeObject>) =>
    (call.target.namespace === undefined || call.target.namespace === '' || object.metadata.namespace === call.target.namespace) &&
    (call.target.name === undefined || object.metadata.name === call.target.name) &&
    matchesFields(object, call.query.fieldSelector) &&
    matchesLabels(object, call.query.labelSelector)

  const create = (call: ApiCall): KubeObject => {
    const { target } = call
    const object = cloneJson(call.body) as KubeObject
    if (target.resource === 'pods' && target.subresource === 'binding') return bind(target, object as Binding)
    if (target.resource === 'pods' && target.subresource === 'eviction') return commit(target, 'DELETED', cloneJson(find(target)))
    const meta = object.metadata
    if (target.namespace) meta.namespace = target.namespace
    if (!meta.name && meta.generateName) meta.name = meta.generateName + deps.random.suffix(5)
    if (objects.has(keyOf(target, meta.namespace, meta.name))) throw alreadyExists(target, meta.name ?? '')
    meta.uid ??= deps.random.uuid()
    meta.creationTimestamp ??= timestamp(deps.clock.now())
    return commit(target, 'ADDED', object)
  }
  const bind = (target: Target, binding: Binding): KubeObject => {
    const pod = cloneJson(find({ ...target })) as Draft<Pod>
    pod.spec.nodeName = binding.target.name ?? ''
    const conditions = pod.status?.conditions?.filter((c) => c.type !== 'PodScheduled') ?? []
    conditions.push({ type: 'PodScheduled', status: 'True', lastTransitionTime: timestamp(deps.clock.now()) })
    pod.status = { ...pod.status, conditions }
    commit(target, 'MODIFIED', pod)
    return { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Success' }
  }
  const update = (call: ApiCall, next: KubeObject): KubeObject => {
    const old = find(call.target)
    if (next.metadata.resourceVersion && next.metadata.resourceVersion !== old.metadata.resourceVersion)
      throw staleWrite(call.target, call.target.name ?? '')
    const kept = call.target.subresource === 'status' ? { ...old, status: next.status } : next
    return commit(call.target, 'MODIFIED', cloneJson({ ...kept, metadata: { ...kept.metadata, uid: old.metadata.uid ?? '' } }))
  }
  const list = (call: ApiCall) => ({
    apiVersion: 'v1',
    kind: 'List',
    metadata: { resourceVersion: String(revision) },
    items: [...objects.entries()]
      .filter(([key, o]) => key.startsWith(`${collectionOf(call.target)} `) && selected(call)(o))
      .map(([, o]) => o),
  })

  const answer = (call: ApiCall): KubeObject => {
    if (call.verb === 'get') return find(call.target)
    if (call.verb === 'list') return list(call) as KubeObject
    if (call.verb === 'create') return create(call)
    if (call.verb === 'update') return update(call, call.body as KubeObject)
    if (call.verb === 'patch' && (call.patchType === 'merge' || call.patchType === 'strategic')) {
      return update(call, merge(find(call.target), call.body as JsonObject, call.patchType === 'strategic') as JsonObject & KubeObject)
    }
    if (call.verb === 'delete') return commit(call.target, 'DELETED', cloneJson(find(call.target)))
    if (call.verb === 'deletecollection') {
      for (const item of list(call).items) commit(call.target, 'DELETED', cloneJson(item))
      return { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Success' }
    }
    throw methodNotAllowed(call.target, call.verb)
  }

  const nothingRuns = (call: ConnectCall) => Promise.reject(notImplemented(`${call.target.subresource} of ${call.target.resource}`))
  const transport: MemoryTransport = {
    calls,
    connect: { command: nothingRuns, ports: nothingRuns, bytes: nothingRuns },
    page: (call) => Promise.reject(notImplemented(`the page ${call.path}`)),
    intercept: () => {},
    compact() {
      compacted = revision
      history.length = 0
    },
    breakWatches() {
      for (const watcher of watchers) {
        watcher.broken = true
        watcher.wake()
      }
    },
    objects: <T extends KubeObject>(resource: string) =>
      [...objects.entries()].filter(([key]) => key.split(' ')[0]?.split('/')[1] === resource).map(([, o]) => o as T),
    async call(call) {
      calls.push(call)
      await transport.intercept(call)
      return answer(call)
    },
    async *watch(call) {
      calls.push(call)
      await transport.intercept(call)
      let after = Number(call.query.resourceVersion ?? revision)
      if (Number.isNaN(after)) throw badRequest('resourceVersion must be a number')
      const watcher = { wake: () => {}, broken: false }
      watchers.add(watcher)
      using _ = onAbort(call.signal, () => watcher.wake())
      try {
        while (!watcher.broken && !call.signal?.aborted) {
          if (after < compacted) throw expired(`too old resource version: ${after} (${compacted})`)
          const batch = eventsAfter(history, after, collectionOf(call.target), selected(call))
          after = revision
          if (batch.length > 0) {
            yield batch
            continue
          }
          await new Promise<void>((resolve) => {
            watcher.wake = resolve
          })
        }
      } finally {
        watchers.delete(watcher)
      }
    },
  }
  return transport
}

const collectionOf = (target: Target) => `${target.group}/${target.resource}`
const keyOf = (target: Target, namespace: string | undefined, name: string | undefined) =>
  `${collectionOf(target)} ${namespace ?? ''}/${name ?? ''}`

function eventsAfter(
  history: readonly Recorded[],
  after: number,
  collection: string,
  wanted: (object: Readonly<KubeObject>) => boolean,
): WatchEvent[] {
  let low = 0
  let high = history.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((history[middle]?.revision ?? 0) <= after) low = middle + 1
    else high = middle
  }
  const events: WatchEvent[] = []
  for (let i = low; i < history.length; i++) {
    const recorded = history[i]
    if (recorded !== undefined && recorded.collection === collection && wanted(recorded.event.object)) events.push(recorded.event)
  }
  return events
}

function matchesFields(object: Readonly<KubeObject>, selector: string | undefined): boolean {
  return (selector ?? '').split(',').every((term) => {
    const parts = /^([^!=]+)(!?==?)(.*)$/.exec(term)
    if (parts === null) return true
    const [, path = '', operator, value] = parts
    let found: unknown = object
    for (const step of path.split('.')) found = found !== null && typeof found === 'object' ? Reflect.get(found, step) : undefined
    return (String(found ?? '') === value) === (operator !== '!=')
  })
}

function matchesLabels(object: Readonly<KubeObject>, selector: string | undefined): boolean {
  return (selector ?? '').split(',').every((term) => {
    const [key = '', value] = term.split('=')
    return term === '' || (value === undefined ? object.metadata.labels?.[key] !== undefined : object.metadata.labels?.[key] === value)
  })
}

/** The lists that components here patch by their items, and by which key. */
const MERGE_KEYS: Readonly<Record<string, string>> = { conditions: 'type', reservedFor: 'uid' }

/** A merge patch; as a strategic one it also merges those lists. */
function merge(old: unknown, patch: JsonObject, strategic: boolean): JsonObject {
  const result: JsonObject = old !== null && typeof old === 'object' && !Array.isArray(old) ? { ...(old as JsonObject) } : {}
  for (const [key, value] of Object.entries(patch)) {
    const by = strategic && Array.isArray(value) && Object.hasOwn(MERGE_KEYS, key) ? MERGE_KEYS[key] : undefined
    if (value === null) delete result[key]
    else if (by !== undefined) setOwn(result, key, mergeItems(result[key], value as JsonObject[], by))
    else if (typeof value === 'object' && !Array.isArray(value)) setOwn(result, key, merge(result[key], value as JsonObject, strategic))
    else setOwn(result, key, value)
  }
  return result
}

function mergeItems(old: unknown, patch: readonly JsonObject[], by: string): JsonObject[] {
  const result = Array.isArray(old) ? [...(old as JsonObject[])] : []
  for (const item of patch) {
    const at = result.findIndex((o) => o[by] === item[by])
    if (item.$patch === 'delete') {
      if (at !== -1) result.splice(at, 1)
    } else if (at === -1) result.push(item)
    else result[at] = { ...result[at], ...item }
  }
  return result
}
