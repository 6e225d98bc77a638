import type { Clock } from '../../base/clock.ts'
import { RevisionAges } from '../../storage/revision-ages.ts'
import type { Revision } from '../../storage/store.ts'
import type { ResourceCache } from './resource-cache.ts'

/** How long past states are kept, and how often their age is checked. */
const KEEP_MS = 300_000
const AGE_EVERY_MS = 60_000
/** Per resource, this many bytes of objects stay decoded; further ones only while they are read between two checks. */
const DECODED_BYTES = 32 << 20
const LOOK_EVERY_MS = 10_000
/** Items checked in one turn of the event loop. */
const LOOK_ITEMS = 4096
const LOOK_PAUSE_MS = 10

export interface CacheUpkeepDeps {
  readonly clock: Clock
  readonly caches: () => Iterable<ResourceCache>
  readonly revision: () => Revision
  /** Called before past states are removed. */
  readonly beforeAging: () => void
}

/** Removes past states that are too old, and decoded forms that are not read. */
export class CacheUpkeep implements Disposable {
  readonly #deps: CacheUpkeepDeps
  readonly #ages = new RevisionAges()
  #stopAging: () => void = () => {}
  #stopCooling: () => void = () => {}

  constructor(deps: CacheUpkeepDeps) {
    this.#deps = deps
  }

  start(): void {
    this.#scheduleAging()
    this.#scheduleCooling([])
  }

  #scheduleAging(): void {
    const { clock, caches, revision, beforeAging } = this.#deps
    this.#stopAging = clock.after(
      AGE_EVERY_MS,
      () => {
        const now = clock.now()
        this.#ages.note(now, revision())
        const aged = this.#ages.olderThan(now, KEEP_MS)
        beforeAging()
        for (const cache of caches()) cache.age(aged)
        this.#scheduleAging()
      },
      'routine',
    )
  }

  /** A few items per turn. `underWay`: resources whose round is not finished. */
  #scheduleCooling(underWay: readonly ResourceCache[]): void {
    const { clock, caches } = this.#deps
    this.#stopCooling = clock.after(
      underWay.length === 0 ? LOOK_EVERY_MS : LOOK_PAUSE_MS,
      () => {
        const crowded = underWay.length > 0 ? underWay : [...caches()].filter(({ decoded }) => decoded.bytes > DECODED_BYTES)
        const [first, ...rest] = crowded
        this.#scheduleCooling(first?.decoded.round(LOOK_ITEMS, DECODED_BYTES) === false ? crowded : rest)
      },
      'routine',
    )
  }

  [Symbol.dispose](): void {
    this.#stopAging()
    this.#stopCooling()
  }
}
