import type { ResourceRef } from '../machinery/api-call.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { Reader } from '../machinery/resource/definition.ts'
import type { Informer } from '../sdk/informer/informer.ts'
import type { InformerFactory } from '../sdk/informer/informer-factory.ts'

/** Whole collections of the API, for what a node does for the network: one list and watch each, however many parts read them. */
export class ClusterObjects implements Reader {
  readonly #informers: ReadonlyMap<string, Informer<KubeObject>>

  constructor(refs: readonly ResourceRef[], informers: InformerFactory) {
    this.#informers = new Map(refs.map((target) => [keyOf(target), informers.informer({ target })]))
  }

  get(group: string, resource: string, namespace: string, name: string): KubeObject | undefined {
    return this.#informers.get(keyOf({ group, resource }))?.get(namespace === '' ? name : `${namespace}/${name}`)
  }

  list(group: string, resource: string, namespace?: string): readonly KubeObject[] {
    return this.#informers.get(keyOf({ group, resource }))?.list(namespace) ?? []
  }

  /** Resolves when all of these were read once; never, where the user may not read one. */
  async synced(refs: readonly ResourceRef[]): Promise<void> {
    await Promise.all(refs.map((ref) => this.#informer(ref).synced))
  }

  /** Calls the listener for each change of these. */
  onChange(refs: readonly ResourceRef[], listener: () => void): void {
    for (const ref of refs) this.#informer(ref).addHandler({ added: listener, updated: listener, deleted: listener })
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.run(signal)))
  }

  #informer(ref: ResourceRef): Informer<KubeObject> {
    const informer = this.#informers.get(keyOf(ref))
    if (informer === undefined) throw new Error(`invariant: ${ref.resource} are not followed`)
    return informer
  }
}

const keyOf = ({ group, resource }: Pick<ResourceRef, 'group' | 'resource'>) => `${group}/${resource}`
