import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'

/** So many owners of each definition: those that make objects by turns. */
const MOST_OWNERS = 16

/**
 * What was created last of each definition, by whom it belongs to: what one owner makes (a replica set its pods) comes of one template, and has most of what
 * it says in common. Objects are as they are stored.
 */
export class LatelyCreated {
  readonly #byDefinition = new WeakMap<ResourceDefinition, Map<string, KubeObject>>()

  /** The object that a new one is likely to resemble: the latest of its owner, or else the latest. */
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
    // The least lately used stands first.
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

/** No uid is like this. */
const LATEST = '*'

const ownerOf = ({ metadata }: KubeObject): string => metadata.ownerReferences?.[0]?.uid ?? ''
