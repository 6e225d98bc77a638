import { type Clock, timestamp } from '../../../base/clock.ts'
import type { Random } from '../../../base/random.ts'
import { cloneJson, type Draft, deepFreeze, type JsonObject, type KubeObject } from '../../../machinery/object.ts'
import { alreadyExists, methodNotAllowed, notFound, staleWrite } from '../../../machinery/status-error.ts'
import type { Binding, Pod } from '../../../resources/types/core.ts'
import type { ApiCall, Target, WatchEvent } from '../client.ts'
import { merge } from './merge-patch.ts'
import { matchesFields, matchesLabels } from './simple-selectors.ts'

interface Recorded {
  readonly revision: number
  readonly collection: string
  readonly event: WatchEvent
}

const SUCCESS: KubeObject = { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Success' }

/** Objects of all resources with their history, without rules, schemas or authorization. */
export class MemoryObjects {
  /** Called after each change. */
  changed: () => void = () => {}
  readonly #clock: Clock
  readonly #random: Random
  readonly #objects = new Map<string, KubeObject>()
  readonly #history: Recorded[] = []
  #revision = 1
  #compacted = 0

  constructor(deps: { readonly clock: Clock; readonly random: Random }) {
    this.#clock = deps.clock
    this.#random = deps.random
  }

  get revision(): number {
    return this.#revision
  }

  /** Events up to this revision are gone. */
  get compacted(): number {
    return this.#compacted
  }

  compact(): void {
    this.#compacted = this.#revision
    this.#history.length = 0
  }

  /** All objects of a resource of any group. */
  all(resource: string): readonly KubeObject[] {
    return [...this.#objects.entries()].filter(([key]) => key.split(' ')[0]?.split('/')[1] === resource).map(([, o]) => o)
  }

  /** The response to a call. @throws {StatusError} as an API server does */
  answer(call: ApiCall): KubeObject {
    const { target, verb } = call
    if (verb === 'get') return this.#find(target)
    if (verb === 'list') return this.#listObject(call)
    if (verb === 'create') return this.#create(call)
    if (verb === 'update') return this.#update(target, call.body as KubeObject)
    if (verb === 'patch' && (call.patchType === 'merge' || call.patchType === 'strategic')) {
      const patched = merge(this.#find(target), call.body as JsonObject, call.patchType === 'strategic')
      return this.#update(target, patched as JsonObject & KubeObject)
    }
    if (verb === 'delete') return this.#commit(target, 'DELETED', cloneJson(this.#find(target)))
    if (verb === 'deletecollection') {
      for (const item of this.#list(call)) this.#commit(target, 'DELETED', cloneJson(item))
      return SUCCESS
    }
    throw methodNotAllowed(target, verb)
  }

  /** What happened to the selected objects after a revision. */
  eventsAfter(revision: number, call: ApiCall): readonly WatchEvent[] {
    const collection = collectionOf(call.target)
    return this.#history
      .slice(this.#firstAfter(revision))
      .filter((recorded) => recorded.collection === collection && isSelected(call, recorded.event.object))
      .map((recorded) => recorded.event)
  }

  #firstAfter(revision: number): number {
    let low = 0
    let high = this.#history.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#history[middle]?.revision ?? 0) <= revision) low = middle + 1
      else high = middle
    }
    return low
  }

  #find(target: Target): KubeObject {
    const found = this.#objects.get(keyOf(target, target.namespace, target.name))
    if (found === undefined) throw notFound(target, target.name ?? '')
    return found
  }

  #list(call: ApiCall): KubeObject[] {
    const prefix = `${collectionOf(call.target)} `
    return [...this.#objects.entries()].filter(([key, o]) => key.startsWith(prefix) && isSelected(call, o)).map(([, o]) => o)
  }

  /** A list as the client reads it: an object with items. */
  #listObject(call: ApiCall): KubeObject {
    const list = { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: String(this.#revision) }, items: this.#list(call) }
    return list
  }

  #create({ target, body }: ApiCall): KubeObject {
    const object = cloneJson(body) as KubeObject
    if (target.resource === 'pods' && target.subresource === 'binding') return this.#bind(target, object as Binding)
    if (target.resource === 'pods' && target.subresource === 'eviction')
      return this.#commit(target, 'DELETED', cloneJson(this.#find(target)))
    const meta = object.metadata
    if (target.namespace) meta.namespace = target.namespace
    if (!meta.name && meta.generateName) meta.name = meta.generateName + this.#random.suffix(5)
    if (this.#objects.has(keyOf(target, meta.namespace, meta.name))) throw alreadyExists(target, meta.name ?? '')
    meta.uid ??= this.#random.uuid()
    meta.creationTimestamp ??= timestamp(this.#clock.now())
    return this.#commit(target, 'ADDED', object)
  }

  #bind(target: Target, binding: Binding): KubeObject {
    const pod = cloneJson(this.#find(target)) as Draft<Pod>
    pod.spec.nodeName = binding.target.name ?? ''
    const conditions = pod.status?.conditions?.filter((c) => c.type !== 'PodScheduled') ?? []
    conditions.push({ type: 'PodScheduled', status: 'True', lastTransitionTime: timestamp(this.#clock.now()) })
    pod.status = { ...pod.status, conditions }
    this.#commit(target, 'MODIFIED', pod)
    return SUCCESS
  }

  #update(target: Target, next: KubeObject): KubeObject {
    const old = this.#find(target)
    if (next.metadata.resourceVersion && next.metadata.resourceVersion !== old.metadata.resourceVersion)
      throw staleWrite(target, target.name ?? '')
    const kept = target.subresource === 'status' ? { ...old, status: next.status } : next
    return this.#commit(target, 'MODIFIED', cloneJson({ ...kept, metadata: { ...kept.metadata, uid: old.metadata.uid ?? '' } }))
  }

  #commit(target: Target, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): KubeObject {
    const revision = ++this.#revision
    object.metadata.resourceVersion = String(revision)
    const key = keyOf(target, object.metadata.namespace, object.metadata.name)
    if (type === 'DELETED') this.#objects.delete(key)
    else this.#objects.set(key, object)
    this.#history.push({ revision, collection: collectionOf(target), event: { type, object: deepFreeze(object) } })
    this.changed()
    return object
  }
}

function isSelected({ target, query }: ApiCall, object: Readonly<KubeObject>): boolean {
  return (
    (target.namespace === undefined || target.namespace === '' || object.metadata.namespace === target.namespace) &&
    (target.name === undefined || object.metadata.name === target.name) &&
    matchesFields(object, query.fieldSelector) &&
    matchesLabels(object, query.labelSelector)
  )
}

const collectionOf = (target: Target) => `${target.group}/${target.resource}`
const keyOf = (target: Target, namespace: string | undefined, name: string | undefined) =>
  `${collectionOf(target)} ${namespace ?? ''}/${name ?? ''}`
