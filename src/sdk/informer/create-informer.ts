import type { KubeObject } from '../../machinery/object.ts'
import type { Informer, InformerOptions } from './informer.ts'
import { createInformerFactory } from './informer-factory.ts'

/**
 * Makes an informer; `run` starts it.
 *
 * ```ts
 * const pods = createInformer({ client, target: refs.PODS, indexers: { node: (pod) => [pod.spec.nodeName ?? ''] } })
 * pods.addHandler({ added: (pod) => queue.add(objectKey(pod)) })
 * const running = pods.run(signal)
 * await pods.synced
 * pods.byIndex('node', 'node-1')
 * ```
 */
export function createInformer<T extends KubeObject = KubeObject>(options: InformerOptions<T>): Informer<T> {
  return createInformerFactory(options).informer(options)
}
