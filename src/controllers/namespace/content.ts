import { messageOf } from '../../base/message-of.ts'
import { millisecondsOf } from '../../machinery/go/go-duration.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { Discovered, DiscoveredResource } from '../../sdk/client/discovery.ts'
import { isFinished } from '../pods/pod-state.ts'
import type { NamespaceContent } from './plan.ts'

/** A namespace that is being deleted. */
export interface DyingNamespace {
  readonly name: string
  /** How long ago it was deleted. */
  readonly elapsedMs: number
}

/** Deletes the content of the namespace, pods first; resolves with what is left. */
export async function deleteContent(
  client: Client,
  namespace: DyingNamespace,
  { resources, failed }: Discovered,
): Promise<NamespaceContent> {
  const deletable = resources.filter((r) => r.namespaced && r.preferred && r.verbs.includes('delete'))
  const counts = { remaining: new Map<string, number>(), finalizers: new Map<string, number>() }
  const faults = { errors: [] as string[], stuck: [] as string[] }
  const empty = async (resource: DiscoveredResource) => {
    try {
      const stuck = await deleteAll(client, namespace, resource, counts)
      if (stuck !== undefined) faults.stuck.push(stuck)
    } catch (error) {
      faults.errors.push(messageOf(error))
    }
  }
  const pods = deletable.find(isPods)
  if (pods !== undefined) {
    await empty(pods)
    if (faults.errors.length > 0 || counts.remaining.size > 0) return { podsRemain: true, ...counts, undiscovered: failed, ...faults }
  }
  for (const resource of deletable) if (!isPods(resource)) await empty(resource)
  return { podsRemain: false, ...counts, undiscovered: failed, ...faults }
}

interface Counts {
  readonly remaining: Map<string, number>
  readonly finalizers: Map<string, number>
}

const isPods = ({ group, resource }: DiscoveredResource) => group === '' && resource === 'pods'

/** How long the pods may take to end. */
function graceMs(pods: readonly Pod[]): number {
  let longest = 0
  for (const pod of pods) if (!isFinished(pod)) longest = Math.max(longest, millisecondsOf(pod.spec?.terminationGracePeriodSeconds ?? 0))
  return longest
}

/** Resolves with a message if objects are left that nothing holds. */
async function deleteAll(
  client: Client,
  { name: namespace, elapsedMs }: DyingNamespace,
  resource: DiscoveredResource,
  counts: Counts,
): Promise<string | undefined> {
  const target = { group: resource.group, version: resource.version, resource: resource.resource, namespace }
  const list = async () => (resource.verbs.includes('list') ? (await client.list<Pod>(target)).items : [])
  try {
    const before = await list()
    if (resource.verbs.includes('deletecollection')) {
      if (before.length === 0 && resource.verbs.includes('list')) return undefined
      await client.deleteCollection(target, { propagationPolicy: 'Background' })
    } else for (const item of before) await deleteOne(client, target, item)
    const left = await list()
    if (left.length === 0) return undefined
    counts.remaining.set(`${resource.resource}.${resource.group}`, left.length)
    for (const item of left)
      for (const finalizer of item.metadata.finalizers ?? []) counts.finalizers.set(finalizer, (counts.finalizers.get(finalizer) ?? 0) + 1)
    if (isPods(resource) && graceMs(before) > elapsedMs) return undefined
    if (left.some((item) => (item.metadata.finalizers ?? []).length > 0)) return undefined
    return `unexpected items still remain in namespace: ${namespace} for gvr: ${resource.group}/${resource.version}, Resource=${resource.resource}`
  } catch (error) {
    if (isStatus(error, 'NotFound', 'MethodNotAllowed')) return undefined
    throw error
  }
}

async function deleteOne(
  client: Client,
  target: { group: string; version: string; resource: string; namespace: string },
  item: KubeObject,
) {
  await client
    .delete({ ...target, name: item.metadata.name ?? '' }, { propagationPolicy: 'Background' })
    .catch(ignoring('NotFound', 'MethodNotAllowed'))
}
