import type { PodInfo } from './cache/pod-info.ts'

/** Pods to which a node was promised while their victims leave it. */
export class Nominations {
  readonly #byNode = new Map<string, Map<string, PodInfo>>()
  readonly #nodeOf = new Map<string, string>()

  get any(): boolean {
    return this.#nodeOf.size > 0
  }

  set(pod: PodInfo, node: string): void {
    this.delete(pod.key)
    this.#nodeOf.set(pod.key, node)
    const there = this.#byNode.get(node)
    if (there === undefined) this.#byNode.set(node, new Map([[pod.key, pod]]))
    else there.set(pod.key, pod)
  }

  delete(key: string): void {
    const node = this.#nodeOf.get(key)
    if (node === undefined) return
    this.#nodeOf.delete(key)
    const there = this.#byNode.get(node)
    there?.delete(key)
    if (there?.size === 0) this.#byNode.delete(node)
  }

  nodeOf(key: string): string | undefined {
    return this.#nodeOf.get(key)
  }

  /** Those that are at least as important as the pod: it has to leave them their room. */
  ahead(node: string, pod: PodInfo): readonly PodInfo[] {
    return [...(this.#byNode.get(node)?.values() ?? [])].filter((other) => other.uid !== pod.uid && other.priority >= pod.priority)
  }

  /** Those that are less important: their promise is void when the pod is promised the node. */
  behind(node: string, pod: PodInfo): readonly PodInfo[] {
    return [...(this.#byNode.get(node)?.values() ?? [])].filter((other) => other.priority < pod.priority)
  }
}
