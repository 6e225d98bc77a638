import { equalJson } from '../../machinery/equal.ts'
import type { Json } from '../../machinery/object.ts'
import type { Pod } from '../types/pod.ts'

/** Runs the pods: the part of the agent that is needed here. */
export interface StaticPodHost {
  /** Admits and runs a pod. */
  start(pod: Pod): void
  /** The pod with this UID has changed. */
  update(pod: Pod): void
  /** Terminates a pod. True: `ended` follows when none of its containers runs any more; false: none runs. */
  stop(pod: Pod): boolean
  /** The pod has neither a manifest nor running containers. */
  forget(name: string): void
}

/** `namespace/name`. */
export const fullNameOf = (pod: { readonly metadata: { readonly namespace?: string; readonly name?: string } }): string =>
  `${pod.metadata.namespace ?? ''}/${pod.metadata.name ?? ''}`

/**
 * Reconciles the running pods with the wanted ones, name by name. A changed pod has another UID, so it is another pod; it starts when the
 * previous one has stopped. There are never two of one name.
 */
export class StaticPods {
  readonly #host: StaticPodHost
  readonly #running = new Map<string, Pod>()
  readonly #stopping = new Set<string>()
  #wanted: ReadonlyMap<string, Pod> = new Map()

  constructor(host: StaticPodHost) {
    this.#host = host
  }

  /** Sets the wanted pods. */
  set(pods: readonly Pod[]): void {
    const names = new Set([...this.#wanted.keys(), ...this.#running.keys()])
    this.#wanted = new Map(pods.map((pod) => [fullNameOf(pod), pod]))
    for (const name of [...names, ...this.#wanted.keys()]) this.#reconcileName(name)
  }

  /** None of the containers of this pod runs any more. */
  ended(name: string): void {
    this.#stopping.delete(name)
    this.#running.delete(name)
    this.#reconcileName(name)
  }

  wanted(name: string): Pod | undefined {
    return this.#wanted.get(name)
  }

  running(name: string): Pod | undefined {
    return this.#running.get(name)
  }

  #reconcileName(name: string): void {
    if (this.#stopping.has(name)) return
    const [running, wanted] = [this.#running.get(name), this.#wanted.get(name)]
    if (running === undefined && wanted === undefined) this.#host.forget(name)
    else if (running === undefined && wanted !== undefined) {
      this.#running.set(name, wanted)
      this.#host.start(wanted)
    } else if (running !== undefined && running.metadata.uid !== wanted?.metadata.uid) {
      this.#stopping.add(name)
      if (!this.#host.stop(running)) this.ended(name)
    } else if (running !== undefined && wanted !== undefined && !equalJson(running as unknown as Json, wanted as unknown as Json)) {
      this.#running.set(name, wanted)
      this.#host.update(wanted)
    }
  }
}
