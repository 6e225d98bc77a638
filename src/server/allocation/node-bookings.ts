import { KeyMutex } from '../../base/key-mutex.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { listObjects } from '../../resources/read-objects.ts'
import { PODS } from '../../resources/refs.ts'
import type { Pod } from '../../resources/types/core.ts'

type OnPod = (listener: (pod: Pod | undefined, old: Pod | undefined) => void) => void

/** The pods of each node, with one binding to a node at a time: independent schedulers cannot ensure this. */
export interface NodeBookings {
  /** The pods that use resources of a node. */
  on(node: string): readonly Pod[]
  /** Runs the work while no other binding to the node is in progress. The next one sees what it has written. */
  alone<T>(node: string, work: () => Promise<T>): Promise<T>
}

/** Follows the pods of a watch cache; it is as current as the cache. */
export function createNodeBookings(reader: Reader, onPod: OnPod): NodeBookings {
  const byNode = new Map<string, Map<string, Pod>>()
  const binding = new KeyMutex()
  const put = (pod: Pod) => {
    const node = nodeOf(pod)
    if (node === undefined) return
    const pods = byNode.get(node) ?? new Map<string, Pod>()
    byNode.set(node, pods.set(pod.metadata.uid ?? '', pod))
  }
  const drop = (pod: Pod) => {
    const node = nodeOf(pod) ?? ''
    const pods = byNode.get(node)
    pods?.delete(pod.metadata.uid ?? '')
    if (pods?.size === 0) byNode.delete(node)
  }
  for (const pod of listObjects(reader, PODS)) put(pod)
  onPod((pod, old) => {
    if (old !== undefined) drop(old)
    if (pod !== undefined) put(pod)
  })
  return {
    on: (node) => [...(byNode.get(node)?.values() ?? [])],
    alone: (node, work) => binding.run([node], work),
  }
}

/** The node whose resources a pod uses. */
function nodeOf(pod: Pod): string | undefined {
  const { phase } = pod.status ?? {}
  return phase === 'Succeeded' || phase === 'Failed' ? undefined : pod.spec?.nodeName || undefined
}
