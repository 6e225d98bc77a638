import { ignoring } from '../../machinery/ignoring.ts'
import type { Client, Target } from '../../sdk/client/client.ts'
import type { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { sameObject, targetOf } from '../frame/objects.ts'
import type { OwnerGraph, Vertex } from './graph.ts'
import { type GarbagePlan, ORPHAN } from './plan.ts'

interface WriteDeps {
  readonly client: Client
  readonly graph: OwnerGraph
  readonly queue: Pick<WorkQueue, 'add'>
}

export async function carryOut(deps: WriteDeps, vertex: Vertex, plan: GarbagePlan): Promise<void> {
  const { client, graph, queue } = deps
  const { uid = '' } = vertex.object.metadata
  switch (plan.kind) {
    case 'keep':
      return
    case 'delete': {
      if (plan.ring) await unblock(client, vertex)
      const options = { propagationPolicy: plan.policy, ...sameObject(vertex.object) }
      await client.delete(where(vertex), options).catch(ignoring('NotFound'))
      return
    }
    case 'drop-owners':
      return dropOwners(client, vertex, plan.uids)
    case 'remove-finalizer':
      return removeFinalizer(client, vertex, plan.finalizer)
    case 'await-dependents':
      for (const dependent of plan.uids) queue.add(dependent)
      return
    case 'orphan-dependents':
      for (const dependent of graph.dependents(uid)) await dropOwners(client, dependent, [uid])
      return removeFinalizer(client, vertex, ORPHAN)
  }
}

async function dropOwners(client: Client, vertex: Vertex, uids: readonly string[]): Promise<void> {
  const { uid, ownerReferences = [] } = vertex.object.metadata
  const kept = ownerReferences.filter((r) => !uids.includes(r.uid))
  const metadata = {
    ...(uid === undefined ? {} : { uid }),
    ownerReferences: kept.length === 0 ? null : kept.map((r) => ({ ...r })),
    ...version(vertex),
  }
  await client.patch(where(vertex), 'merge', { metadata }).catch(ignoring('NotFound'))
}

/** Its owners do not wait for it any more. */
async function unblock(client: Client, vertex: Vertex): Promise<void> {
  const ownerReferences = (vertex.object.metadata.ownerReferences ?? []).map((r) => ({ ...r, blockOwnerDeletion: false }))
  await client.patch(where(vertex), 'merge', { metadata: { ownerReferences, ...version(vertex) } }).catch(ignoring('NotFound'))
}

async function removeFinalizer(client: Client, vertex: Vertex, finalizer: string): Promise<void> {
  const { finalizers = [] } = vertex.object.metadata
  const metadata = { finalizers: finalizers.filter((f) => f !== finalizer), ...version(vertex) }
  await client.patch(where(vertex), 'merge', { metadata }).catch(ignoring('NotFound'))
}

function where({ entry: { group, version, resource }, object }: Vertex): Target {
  return targetOf({ group, version, resource }, object)
}

/** Owner references and finalizers are lists: they are replaced only in the version that was read. */
const version = ({ object: { metadata } }: Vertex) =>
  metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion }
