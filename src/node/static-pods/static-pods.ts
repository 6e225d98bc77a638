import { equalJson } from '../../machinery/equal.ts'
import type { Json } from '../../machinery/object.ts'
import type { Pod } from '../types/pod.ts'

/** What runs the pods, as far as it is asked here. */
export interface StaticPodHost {
  /** A pod arrives that has to be admitted and run. */
  start(pod: Pod): void
  /** The same pod (by uid) says something else. */
  update(pod: Pod): void
  /** It has to end. True: `ended` follows when nothing of it runs any more; false: nothing of it runs. */
  stop(pod: Pod): boolean
  /** Neither wanted nor running any more. */
  forget(name: string): void
}

/** `namespace/name`. */
export const fullNameOf = (pod: { readonly metadata: { readonly namespace?: string; readonly name?: string } }): string =>
  `${pod.metadata.namespace ?? ''}/${pod.metadata.name ?? ''}`

/**
 * Brings what runs to what is wanted, name by name: a pod that has changed is another pod (its uid says so), and starts when the one
 * before it has stopped; never are there two of one name.
 */
export class StaticPods {
  readonly #host: StaticPodHost
  readonly #running = new Map<string, Pod>()
  readonly #stopping = new Set<string>()
  #wanted: ReadonlyMap<string, Pod> = new Map()

  constructor(host: StaticPodHost) {
    this.#host = host
  }

  /** The pods that are wanted from now on. */
  set(pods: readonly Pod[]): void {
    const names = new Set([...this.#wanted.keys(), ...this.#running.keys()])
    this.#wanted = new Map(pods.map((pod) => [fullNameOf(pod), pod]))
    for (const name of [...names, ...this.#wanted.keys()]) this.#settle(name)
  }

  /** Nothing of the pod of this name runs any more. */
  ended(name: string): void {
    this.#stopping.delete(name)
    this.#running.delete(name)
    this.#settle(name)
  }

  wanted(name: string): Pod | undefined {
    return this.#wanted.get(name)
  }

  running(name: string): Pod | undefined {
    return this.#running.get(name)
  }

  #settle(name: string): void {
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
