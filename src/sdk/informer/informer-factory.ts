import { systemClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { systemRandom } from '../../base/random.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Informer, InformerConfig, InformerDeps } from './informer.ts'
import { InformerView } from './informer-view.ts'
import { SharedInformer } from './shared-informer.ts'

/** Makes informers that share their copies. */
export interface InformerFactory {
  /** An informer with handlers and indexes of its own; `run` starts it, and its end ends no other. */
  informer<T extends KubeObject = KubeObject>(config: InformerConfig<T>): Informer<T>
}

/**
 * Makes a factory whose informers share one list and watch, and one copy, of each collection and selector (client-go's
 * `SharedInformerFactory`). A copy is kept as long as one of its informers runs.
 *
 * ```ts
 * const informers = createInformerFactory({ client })
 * const [pods, again] = [informers.informer({ target: refs.PODS }), informers.informer({ target: refs.PODS })]
 * await Promise.all([pods.run(signal), again.run(signal)]) // lists and watches pods once
 * ```
 */
export function createInformerFactory(deps: InformerDeps): InformerFactory {
  const { client, clock = systemClock, random = systemRandom(), log = silentLogger } = deps
  const copies = new Map<string, unknown>()
  const copyOf = <T extends KubeObject>({ target, labelSelector, fieldSelector }: InformerConfig<T>): SharedInformer<T> => {
    const { group, version, resource, namespace } = target
    const key = JSON.stringify([group, version, resource, namespace, labelSelector, fieldSelector])
    const made = () => {
      const copy = new SharedInformer<T>({ client, clock, random, log, target, labelSelector, fieldSelector }, () => copies.delete(key))
      copies.set(key, copy)
      return copy
    }
    // The copy under the key of a collection has its objects.
    return (copies.get(key) as SharedInformer<T> | undefined) ?? made()
  }
  return { informer: (config) => new InformerView(config, { log, open: () => copyOf(config) }) }
}
