import { LruMap } from '../base/collections/lru-map.ts'
import { sentJson } from '../machinery/json/sent-json.ts'
import { type Keeper, keptBy } from '../machinery/kept.ts'
import type { KubeObject } from '../machinery/object.ts'
import { withoutManagedFields } from './without-managed-fields.ts'

/** Bounds the texts that are remembered, in characters: watches of one collection are seldom further apart. */
const RECENT_CHARACTERS = 2 << 20

/**
 * An object as the JSON that came for it, a tenth of the memory. It is decoded again only when nothing holds the decoded object any more.
 */
class KeptText implements Keeper {
  readonly #text: string
  #decoded: WeakRef<KubeObject> | undefined

  constructor(text: string) {
    this.#text = text
  }

  get object(): KubeObject {
    return this.#decoded?.deref() ?? this.#decode()
  }

  #decode(): KubeObject {
    const object = sentJson(this.#text) as KubeObject
    keptBy(object, this)
    this.#decoded = new WeakRef(object)
    return object
  }
}

/**
 * Decodes the objects that come over a link. What comes several times within a short time (a change in the watch of each part of this
 * thread, the answer to the call that made it) is decoded once, and shared.
 */
export class ObjectTexts {
  readonly #recent = new LruMap<string, KeptText>(RECENT_CHARACTERS)

  /** The object, without its managed fields. It is shared, and keeps its text: see `keeperOf`. */
  object(line: string): KubeObject {
    const text = withoutManagedFields(line)
    const known = this.#recent.get(text)
    if (known !== undefined) return known.object
    const keeper = new KeptText(text)
    const { object } = keeper
    this.#recent.set(text, keeper, text.length)
    return object
  }
}
