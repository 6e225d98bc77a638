import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'

/** Most owners per definition. */
const MOST_OWNERS = 16

/**
 * The latest created object of each definition and owner. Objects of one owner (pods of a replica set) come from one template, so a new
 * object shares most of its content with the previous one. Objects are as stored.
 */
export class LatelyCreated {
  readonly #byDefinition = new WeakMap<ResourceDefinition, Map<string, KubeObject>>()

  /** An object that a new one is likely to resemble: the latest of its owner, else the latest of all. */
  like(definition: ResourceDefinition, draft: KubeObject): KubeObject | undefined {
    const known = this.#byDefinition.get(definition)
    return known?.get(ownerOf(draft)) ?? known?.get(LATEST)
  }

  note(definition: ResourceDefinition, object: KubeObject): void {
    let known = this.#byDefinition.get(definition)
    if (known === undefined) {
      known = new Map()
      this.#byDefinition.set(definition, known)
    }
    known.set(LATEST, object)
    const owner = ownerOf(object)
    // The least recently used is first.
    known.delete(owner)
    known.set(owner, object)
    if (known.size <= MOST_OWNERS + 1) return
    for (const oldest of known.keys()) {
      if (oldest === LATEST) continue
      known.delete(oldest)
      return
    }
  }
}

/** Key of the latest object; not a valid uid. */
const LATEST = '*'

const ownerOf = ({ metadata }: KubeObject): string => metadata.ownerReferences?.[0]?.uid ?? ''
