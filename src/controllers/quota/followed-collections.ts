import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceQuota } from '../../resources/types/core.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Catalogue, CatalogueEntry } from '../frame/catalogue.ts'
import type { Keys } from '../frame/define-controller.ts'
import type { Informers } from '../frame/informers.ts'
import { type Counted, concerns, countsAs } from './plan.ts'

/** Copies of the collections that quotas count, made when the first quota counts them. */
export class FollowedCollections {
  readonly #informers: Informers
  readonly #catalogue: Catalogue
  readonly #followed = new Map<string, Informer<KubeObject>>()
  #recount: (entry: CatalogueEntry, object: KubeObject) => void = () => {}

  constructor(informers: Informers, catalogue: Catalogue) {
    this.#informers = informers
    this.#catalogue = catalogue
  }

  /** Enqueues the quotas that count an object when that counts for less. What counts for more was counted by admission. */
  onLess(quotasOf: (namespace: string) => readonly ResourceQuota[], keys: Keys): void {
    this.#recount = ({ group, resource }, { metadata }) => {
      for (const quota of quotasOf(metadata.namespace ?? '')) if (concerns(quota, group, resource)) keys.add(objectKey(quota))
    }
  }

  /** The objects in the quota's namespace that it counts. */
  async countedBy(quota: ResourceQuota): Promise<readonly Counted[]> {
    const { namespace = '' } = quota.metadata
    const entries = (await this.#catalogue.namespaced()).filter((e) => concerns(quota, e.group, e.resource))
    const copies = entries.map((entry) => ({ entry, informer: this.#follow(entry) }))
    await Promise.all(copies.map(({ informer }) => informer.synced))
    return copies.map(({ entry: { group, resource }, informer }) => ({ group, resource, objects: informer.list(namespace) }))
  }

  #follow(entry: CatalogueEntry): Informer<KubeObject> {
    const key = `${entry.group}/${entry.resource}`
    const informer = this.#informers.of<KubeObject>(entry)
    // A definition that was deleted and created again has another informer.
    if (this.#followed.get(key) === informer) return informer
    this.#followed.set(key, informer)
    informer.addHandler({
      updated: (object, old) => {
        if (countsAs(entry, object) !== countsAs(entry, old)) this.#recount(entry, object)
      },
      deleted: (object) => this.#recount(entry, object),
    })
    return informer
  }
}
