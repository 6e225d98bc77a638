import type { Pod } from '../../resources/types/core.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import { isFinished, isTerminating } from '../pods/pod-state.ts'
import { TERMINATED_PODS_KEPT } from './plan.ts'

/**
 * The pods that a round may concern, kept up to date by the informer: terminating ones, finished ones if they are too many, and those on
 * nodes that do not exist. All others, however many, are not looked at.
 */
export class PodsInQuestion {
  readonly #terminating = new Set<string>()
  readonly #finished = new Set<string>()
  /** Nodes that have pods, or had. */
  readonly #nodes = new Set<string>()

  saw(pod: Pod): void {
    const key = objectKey(pod)
    if (pod.spec.nodeName) this.#nodes.add(pod.spec.nodeName)
    put(this.#terminating, key, isTerminating(pod))
    put(this.#finished, key, isFinished(pod))
  }

  gone(pod: Pod): void {
    const key = objectKey(pod)
    this.#terminating.delete(key)
    this.#finished.delete(key)
  }

  /** Nodes that pods name, and that are not among these. */
  nodesWithout(nodes: ReadonlySet<string>): readonly string[] {
    return [...this.#nodes].filter((name) => !nodes.has(name))
  }

  /** The node has no pods any more. */
  leave(node: string): void {
    this.#nodes.delete(node)
  }

  keys(): readonly string[] {
    return [...this.#terminating, ...(this.#finished.size > TERMINATED_PODS_KEPT ? this.#finished : [])]
  }
}

function put(set: Set<string>, key: string, is: boolean): void {
  if (is) set.add(key)
  else set.delete(key)
}
