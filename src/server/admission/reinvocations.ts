import { equalJson } from '../../machinery/equal.ts'
import { cloneJson, type KubeObject } from '../../machinery/object.ts'

/**
 * Which policies or webhooks of a plugin run again when the mutating plugins run for the second time: those with `reinvocationPolicy:
 * IfNeeded` after which the object has changed.
 */
export class Reinvocations<K> {
  /** They ran, and nothing has changed the object since. */
  readonly #current = new Set<K>()
  readonly #due = new Set<K>()
  #left: KubeObject | undefined

  /** It ran, and may run again. */
  ran(key: K): void {
    this.#current.add(key)
  }

  /** The object has changed: what ran before is due. */
  changed(): void {
    for (const key of this.#current) this.#due.add(key)
    this.#current.clear()
  }

  /** The plugin's first run has ended, with this object. */
  endFirst(object: KubeObject | undefined): void {
    if (this.#current.size > 0) this.#left = cloneJson(object)
  }

  /** The second run begins: other plugins may have changed the object. */
  beginSecond(object: KubeObject | undefined): void {
    if (this.#current.size > 0 && !equalJson(this.#left, object)) this.changed()
  }

  isDue(key: K): boolean {
    return this.#due.has(key)
  }

  get anyDue(): boolean {
    return this.#due.size > 0
  }
}
