import type { Cancel } from '../../base/clock.ts'
import type { KubeObject, OwnerReference } from '../../machinery/object.ts'
import { apiVersionOf, parseApiVersion } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { Target } from '../../sdk/client/client.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import { runController } from '../../sdk/controller/run-controller.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Catalogue, CatalogueEntry } from '../frame/catalogue.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { synced } from '../frame/informer-set.ts'
import { OwnerGraph, type Vertex } from './graph.ts'
import { awaitsDependents, type GarbagePlan, type OwnerState, planGarbage, sameOwners } from './plan.ts'

/** An object may name as many owners as fit into it: so many of them are looked up side by side. */
const OWNERS_AT_ONCE = 64

/** Deletes what nobody owns any more: background, foreground and orphan propagation, for built-in and custom resources alike. */
export function createGarbageCollector(deps: ControllerDeps, catalogue: Catalogue): Controller {
  const { client, clock, informers, log } = deps
  const events = deps.recorder('garbage-collector-controller')
  const queue = new WorkQueue({ clock })
  const graph = new OwnerGraph()
  const followed = new Map<string, { readonly entry: CatalogueEntry; readonly stop: Cancel }>()

  async function follow(): Promise<void> {
    const { failed } = await catalogue.discover()
    const entries = (await catalogue.entries()).filter((e) => !isEvent(e))
    const keys = new Set(entries.map(keyOf))
    for (const [key, { entry, stop }] of followed) {
      // A server that is away for a while has not lost its objects.
      if (keys.has(key) || failed.has(apiVersionOf(entry))) continue
      stop()
      informers.drop(entry)
      followed.delete(key)
      forget(key)
    }
    for (const entry of entries) {
      if (followed.has(keyOf(entry))) continue
      const seen = (object: KubeObject) => {
        graph.put(entry, object)
        if (object.metadata.ownerReferences !== undefined || object.metadata.deletionTimestamp !== undefined)
          queue.add(object.metadata.uid ?? '')
        if (awaitsDependents(object)) for (const d of graph.dependents(object.metadata.uid ?? '')) queue.add(d.object.metadata.uid ?? '')
      }
      const updated = (object: KubeObject, old: KubeObject) => {
        // Most updates, a node's lease for instance, have nothing to do with ownership.
        if (object.metadata.deletionTimestamp === undefined && sameOwners(object, old)) return graph.put(entry, object)
        seen(object)
        // An owner that waits for its dependents has one less, or one that it need not wait for.
        for (const { uid, blockOwnerDeletion } of old.metadata.ownerReferences ?? []) {
          const now = object.metadata.ownerReferences?.find((r) => r.uid === uid)
          if (now === undefined || (blockOwnerDeletion && !now.blockOwnerDeletion)) queue.add(uid)
        }
      }
      const stop = informers.of(entry).addHandler({ added: seen, updated, deleted: gone })
      followed.set(keyOf(entry), { entry, stop })
    }
  }

  function gone(object: KubeObject): void {
    const uid = object.metadata.uid ?? ''
    graph.remove(uid)
    for (const d of graph.dependents(uid)) queue.add(d.object.metadata.uid ?? '')
    for (const ref of object.metadata.ownerReferences ?? []) queue.add(ref.uid)
  }

  /** Of a collection that is served no more nothing is left; who was owned by it has to be looked at. */
  function forget(key: string): void {
    for (const vertex of graph.of((entry) => keyOf(entry) === key)) gone(vertex.object)
  }

  async function reconcile(uid: string): Promise<void> {
    const vertex = graph.get(uid)
    if (vertex === undefined) return
    const refs = vertex.object.metadata.ownerReferences ?? []
    const owners: { readonly ref: OwnerReference; readonly state: OwnerState }[] = []
    for (let i = 0; i < refs.length; i += OWNERS_AT_ONCE) {
      const some = refs.slice(i, i + OWNERS_AT_ONCE).map(async (ref) => ({ ref, state: await ownerState(vertex, ref) }))
      owners.push(...(await Promise.all(some)))
    }
    const dependents = graph.dependents(uid).map((d) => d.object)
    await carryOut(vertex, planGarbage({ object: vertex.object, owners, dependents }))
  }

  /** An owner that the graph does not know may only be new: the API has the last word. */
  async function ownerState(vertex: Vertex, ref: OwnerReference): Promise<OwnerState> {
    const known = graph.get(ref.uid)
    if (known !== undefined && isElsewhere(vertex, known)) {
      reportElsewhere(vertex, ref)
      // What belongs to no namespace cannot be owned from within one: it is left alone.
      return vertex.object.metadata.namespace === undefined ? 'solid' : 'dangling'
    }
    if (known !== undefined) return awaitsDependents(known.object) && ref.blockOwnerDeletion ? 'waiting' : 'solid'
    const gv = parseApiVersion(ref.apiVersion)
    const entry = gv && (await catalogue.ofKind(gv.group, ref.kind))
    // An owner of a kind that nobody serves cannot be looked up: its dependents are left alone.
    if (entry === undefined) return 'solid'
    const namespace = entry.namespaced ? vertex.object.metadata.namespace : undefined
    if (entry.namespaced && namespace === undefined) {
      reportElsewhere(vertex, ref)
      return 'solid'
    }
    try {
      const owner = await client.get({ ...refOf(entry), ...(namespace === undefined ? {} : { namespace }), name: ref.name })
      return owner.metadata.uid === ref.uid ? 'solid' : 'dangling'
    } catch (error) {
      if (isStatus(error, 'NotFound')) return 'dangling'
      throw error
    }
  }

  /** Owners are looked for in the object's own namespace, or among what has none. */
  const isElsewhere = (vertex: Vertex, owner: Vertex) =>
    owner.object.metadata.namespace !== undefined && owner.object.metadata.namespace !== vertex.object.metadata.namespace

  function reportElsewhere({ object }: Vertex, ref: OwnerReference): void {
    const { resourceVersion: _, ...regarding } = referenceTo(object)
    const { namespace = '' } = object.metadata
    const owner = `[${ref.apiVersion}/${ref.kind}, namespace: ${namespace}, name: ${ref.name}, uid: ${ref.uid}]`
    const message = `ownerRef ${owner} does not exist in namespace "${namespace}"`
    events.record({ regarding, type: 'Warning', reason: 'OwnerRefInvalidNamespace', message })
  }

  async function carryOut(vertex: Vertex, plan: GarbagePlan): Promise<void> {
    const target = targetOf(vertex)
    const { uid } = vertex.object.metadata
    switch (plan.kind) {
      case 'keep':
        return
      case 'delete':
        if (plan.ring) await unblock(vertex)
        return ignoreGone(client.delete(target, { propagationPolicy: plan.policy, preconditions: uid === undefined ? {} : { uid } }))
      case 'drop-owners':
        return dropOwners(vertex, plan.uids)
      case 'remove-finalizer':
        return removeFinalizer(vertex, plan.finalizer)
      case 'await-dependents':
        for (const dependent of plan.uids) queue.add(dependent)
        return
      case 'orphan-dependents':
        for (const d of graph.dependents(uid ?? '')) await dropOwners(d, [uid ?? ''])
        return removeFinalizer(vertex, 'orphan')
    }
  }

  function dropOwners(vertex: Vertex, uids: readonly string[]): Promise<void> {
    const { uid, ownerReferences = [] } = vertex.object.metadata
    const kept = ownerReferences.filter((r) => !uids.includes(r.uid))
    const metadata = {
      ...(uid === undefined ? {} : { uid }),
      ownerReferences: kept.length === 0 ? null : kept.map((r) => ({ ...r })),
      ...version(vertex),
    }
    return ignoreGone(client.patch(targetOf(vertex), 'merge', { metadata }))
  }

  /** Its owners need not wait for it any more. */
  function unblock(vertex: Vertex): Promise<void> {
    const ownerReferences = (vertex.object.metadata.ownerReferences ?? []).map((r) => ({ ...r, blockOwnerDeletion: false }))
    return ignoreGone(client.patch(targetOf(vertex), 'merge', { metadata: { ownerReferences, ...version(vertex) } }))
  }

  function removeFinalizer(vertex: Vertex, finalizer: string): Promise<void> {
    const { finalizers = [] } = vertex.object.metadata
    const metadata = { finalizers: finalizers.filter((f) => f !== finalizer), ...version(vertex) }
    return ignoreGone(client.patch(targetOf(vertex), 'merge', { metadata }))
  }

  return {
    name: 'garbage-collector',
    async run(signal) {
      if (!(await synced([follow()], signal))) return
      catalogue.onChange(() => void follow().catch((error) => log.warn('the garbage collector could not follow a resource', { error })))
      const copies = Promise.all([...followed.values()].map(({ entry }) => informers.of(entry).synced)).then(() => {})
      // A collection that cannot be listed (an aggregated server that is away) holds up nobody: owners that are not known are looked up.
      const late = clock.sleep(SYNC_PATIENCE_MS, signal).catch(() => {})
      const ready = [Promise.race([copies, late])]
      await runController({ name: 'garbage-collector', queue, workers: 8, ready, reconcile, log }, signal)
    },
  }
}

/** How long the first copies are waited for, as Kubernetes has it. */
const SYNC_PATIENCE_MS = 30_000

/** Events go by themselves, and are owned by nobody. */
const isEvent = ({ group, resource }: CatalogueEntry) => resource === 'events' && (group === '' || group === 'events.k8s.io')
const keyOf = (e: CatalogueEntry) => `${e.group}/${e.version}/${e.resource}`
const refOf = ({ group, version, resource }: CatalogueEntry) => ({ group, version, resource })

/** Owner references and finalizers are lists: they are replaced only as they were seen. */
const version = (vertex: Vertex) => {
  const { resourceVersion } = vertex.object.metadata
  return resourceVersion === undefined ? {} : { resourceVersion }
}

function targetOf({ entry, object }: Vertex): Target {
  const { namespace, name } = object.metadata
  return { ...refOf(entry), ...(namespace === undefined ? {} : { namespace }), ...(name === undefined ? {} : { name }) }
}

async function ignoreGone(write: Promise<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    if (!isStatus(error, 'NotFound')) throw error
  }
}
