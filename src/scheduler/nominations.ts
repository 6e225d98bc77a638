import type { PodInfo } from './cache/pod-info.ts'

/** Pods to which a node was promised while their victims leave it. */
export class Nominations {
  /** A promise is void: others may have what it kept from them. */
  readonly #voided: (pod: PodInfo) => void
  readonly #byNode = new Map<string, Map<string, PodInfo>>()
  readonly #nodeOf = new Map<string, string>()

  constructor(voided: (pod: PodInfo) => void = () => {}) {
    this.#voided = voided
  }

  get any(): boolean {
    return this.#nodeOf.size > 0
  }

  set(pod: PodInfo, node: string): void {
    if (this.#nodeOf.get(pod.key) === node) this.#take(pod.key)
    else this.delete(pod.key)
    this.#nodeOf.set(pod.key, node)
    const there = this.#byNode.get(node)
    if (there === undefined) this.#byNode.set(node, new Map([[pod.key, pod]]))
    else there.set(pod.key, pod)
  }

  delete(key: string): void {
    const pod = this.#take(key)
    if (pod !== undefined) this.#voided(pod)
  }

  /** The pod is counted on a node by now. */
  placed(key: string, node: string): void {
    if (this.#nodeOf.get(key) === node) this.#take(key)
    else this.delete(key)
  }

  #take(key: string): PodInfo | undefined {
    const node = this.#nodeOf.get(key)
    if (node === undefined) return undefined
    this.#nodeOf.delete(key)
    const there = this.#byNode.get(node)
    const pod = there?.get(key)
    there?.delete(key)
    if (there?.size === 0) this.#byNode.delete(node)
    return pod
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
