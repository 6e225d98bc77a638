import type { ReportCollection, ReportedObject } from '../../apiserver/extension-points.ts'
import type { Cancel, Clock } from '../../base/clock.ts'
import { ChangeLog } from '../../base/collections/change-log.ts'
import type { KubeObject } from '../../machinery/object.ts'

/** How often the objects are made while somebody watches them. */
const POLL_MS = 1000

interface Polled {
  readonly text: string
  readonly object: KubeObject
  readonly since: number
  readonly revision: number
}

/**
 * A collection whose objects are made all at once: for each get and list, and once a second while somebody watches. What has become
 * different since is a change.
 */
export class PolledReports implements ReportCollection {
  readonly changes: ChangeLog
  readonly announcesGone = true
  readonly #clock: Clock
  readonly #make: () => Promise<readonly KubeObject[]>
  #objects: ReadonlyMap<string, Polled> = new Map()
  #polling: Promise<void> | undefined
  #watchers = 0
  #cancel: Cancel = () => {}

  constructor(clock: Clock, make: () => Promise<readonly KubeObject[]>) {
    this.changes = new ChangeLog(clock.now())
    this.#clock = clock
    this.#make = make
  }

  /** Makes the objects as they are now; callers at once share one look. */
  refreshed(): Promise<void> {
    this.#polling ??= this.#poll().finally(() => {
      this.#polling = undefined
    })
    return this.#polling
  }

  keys(): readonly string[] {
    return [...this.#objects.keys()]
  }

  objects(keys: readonly string[]): ReadonlyMap<string, ReportedObject> {
    const found = new Map<string, ReportedObject>()
    for (const key of keys) {
      const polled = this.#objects.get(key)
      if (polled === undefined) continue
      const { object, revision, since } = polled
      found.set(key, { object: { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }, since })
    }
    return found
  }

  watched(): Disposable {
    if (this.#watchers++ === 0) this.#pollLater()
    return {
      [Symbol.dispose]: () => {
        if (--this.#watchers === 0) this.#cancel()
      },
    }
  }

  #pollLater(): void {
    this.#cancel = this.#clock.after(POLL_MS, () => {
      // Who makes the objects may be gone, and come back: watches wait for that.
      const again = () => {
        if (this.#watchers > 0) this.#pollLater()
      }
      this.refreshed().then(again, again)
    })
  }

  async #poll(): Promise<void> {
    const made = await this.#make()
    const objects = new Map<string, Polled>()
    for (const object of made) {
      const { name = '', namespace } = object.metadata
      const key = namespace === undefined ? name : `${namespace}/${name}`
      const text = JSON.stringify(object)
      const known = this.#objects.get(key)
      if (known?.text === text) objects.set(key, known)
      else {
        const revision = this.changes.note(key)
        objects.set(key, { text, object, revision, since: known?.since ?? revision })
      }
    }
    for (const key of this.#objects.keys()) if (!objects.has(key)) this.changes.note(key)
    this.#objects = objects
  }
}
