import { type OwnerReference, parseApiVersion } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { Client } from '../../sdk/client/client.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import type { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Catalogue } from '../frame/catalogue.ts'
import type { ObjectEvents } from '../frame/object-events.ts'
import { carryOut } from './carry-out.ts'
import type { OwnerGraph, Vertex } from './graph.ts'
import { awaitsDependents, type OwnerState, planGarbage } from './plan.ts'

export interface GarbageDeps {
  readonly client: Client
  readonly catalogue: Catalogue
  readonly graph: OwnerGraph
  readonly queue: Pick<WorkQueue, 'add'>
  readonly events: ObjectEvents
}

/** An object may have as many owners as fit into it: so many of them are looked up in parallel. */
const OWNERS_AT_ONCE = 64

export async function collectGarbage(deps: GarbageDeps, uid: string): Promise<void> {
  const { graph } = deps
  const vertex = graph.get(uid)
  if (vertex === undefined) return
  const refs = vertex.object.metadata.ownerReferences ?? []
  const owners: { readonly ref: OwnerReference; readonly state: OwnerState }[] = []
  for (let i = 0; i < refs.length; i += OWNERS_AT_ONCE) {
    const some = refs.slice(i, i + OWNERS_AT_ONCE).map(async (ref) => ({ ref, state: await ownerState(deps, vertex, ref) }))
    owners.push(...(await Promise.all(some)))
  }
  const dependents = graph.dependents(uid).map((d) => d.object)
  await carryOut(deps, vertex, planGarbage({ object: vertex.object, owners, dependents }))
}

/** An owner that the graph does not know, or knows by another name or kind, is read from the API. */
async function ownerState(deps: GarbageDeps, vertex: Vertex, ref: OwnerReference): Promise<OwnerState> {
  const known = deps.graph.get(ref.uid)
  if (known === undefined) return stateByApi(deps, vertex, ref)
  if (isElsewhere(vertex, known)) {
    reportElsewhere(deps, vertex, ref)
    // A cluster-scoped object cannot be owned by a namespaced one: it is left alone.
    return vertex.object.metadata.namespace === undefined ? 'unknown' : 'dangling'
  }
  if (!isMeant(known, ref)) return stateByApi(deps, vertex, ref)
  return awaitsDependents(known.object) ? 'waiting' : 'solid'
}

async function stateByApi(deps: GarbageDeps, vertex: Vertex, ref: OwnerReference): Promise<OwnerState> {
  const { client, catalogue } = deps
  const gv = parseApiVersion(ref.apiVersion)
  const entry = gv && (await catalogue.ofKind(gv.group, ref.kind, gv.version))
  // An owner of a kind or version that is not served cannot be looked up: its dependents are left alone.
  if (entry === undefined) return 'unknown'
  const namespace = entry.namespaced ? vertex.object.metadata.namespace : undefined
  if (entry.namespaced && namespace === undefined) {
    reportElsewhere(deps, vertex, ref)
    return 'unknown'
  }
  const { group, version, resource } = entry
  try {
    const owner = await client.get({ group, version, resource, ...(namespace === undefined ? {} : { namespace }), name: ref.name })
    return owner.metadata.uid === ref.uid ? 'solid' : 'dangling'
  } catch (error) {
    if (isStatus(error, 'NotFound')) return 'dangling'
    throw error
  }
}

/** Owners are in the object's own namespace, or cluster-scoped. */
const isElsewhere = (vertex: Vertex, owner: Vertex) =>
  owner.object.metadata.namespace !== undefined && owner.object.metadata.namespace !== vertex.object.metadata.namespace

const isMeant = ({ entry, object }: Vertex, ref: OwnerReference) =>
  ref.name === object.metadata.name && ref.kind === entry.kind && parseApiVersion(ref.apiVersion)?.group === entry.group

function reportElsewhere({ events }: GarbageDeps, { object }: Vertex, ref: OwnerReference): void {
  const { resourceVersion: _, ...regarding } = referenceTo(object)
  const { namespace = '' } = object.metadata
  const owner = `[${ref.apiVersion}/${ref.kind}, namespace: ${namespace}, name: ${ref.name}, uid: ${ref.uid}]`
  const message = `ownerRef ${owner} does not exist in namespace "${namespace}"`
  events.record({ regarding, type: 'Warning', reason: 'OwnerRefInvalidNamespace', message })
}
