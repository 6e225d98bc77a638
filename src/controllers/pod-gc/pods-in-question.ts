import type { KubeObject } from '../../machinery/object.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import { isFinished, isTerminating } from '../pods/pod-state.ts'
import { TERMINATED_PODS_KEPT } from './plan.ts'

/**
 * Which pods a look can concern, by what was told of them: those that end, those that have ended once they are too many, and those on nodes that are not there. The others,
 * however many, are not looked at.
 */
export class PodsInQuestion {
  readonly #terminating = new Set<string>()
  readonly #finished = new Set<string>()
  /** Where pods are, or were. */
  readonly #places = new Set<string>()

  saw(pod: KubeObject): void {
    const key = objectKey(pod)
    const place: unknown = pod.spec?.nodeName
    if (typeof place === 'string' && place !== '') this.#places.add(place)
    put(this.#terminating, key, isTerminating(pod))
    put(this.#finished, key, isFinished(pod))
  }

  gone(pod: KubeObject): void {
    const key = objectKey(pod)
    this.#terminating.delete(key)
    this.#finished.delete(key)
  }

  /** Nodes that pods are said to be on, and that are not among these. */
  placesWithout(nodes: ReadonlySet<string>): readonly string[] {
    return [...this.#places].filter((name) => !nodes.has(name))
  }

  /** There are no pods any more. */
  leave(place: string): void {
    this.#places.delete(place)
  }

  keys(): readonly string[] {
    return [...this.#terminating, ...(this.#finished.size > TERMINATED_PODS_KEPT ? this.#finished : [])]
  }
}

function put(set: Set<string>, key: string, is: boolean): void {
  if (is) set.add(key)
  else set.delete(key)
}
