import { ChangeLog } from '../../base/collections/change-log.ts'
import type { RecordedTrail } from './recorded-trail.ts'

/** An object that recorded requests have written. */
export interface WrittenObject {
  /** In the order in which they were stored. */
  readonly trails: RecordedTrail[]
  /** Of `changes`: when the object was written first, and last. */
  readonly since: number
  revision: number
}

/** Objects without a namespace are filed where events about them are. */
const WITHOUT_NAMESPACE = 'default'

/** The recorded requests of each object that they have written. */
export class RecordedWrites {
  /** In which order objects were written. */
  readonly changes: ChangeLog
  readonly #byKey = new Map<string, WrittenObject>()
  #isFollowed = false

  constructor(nowMs: number) {
    this.changes = new ChangeLog(nowMs)
  }

  /** Files these requests, for who is about to read them; from then on all that are added. */
  follow(ended: Iterable<RecordedTrail>): void {
    if (this.#isFollowed) return
    this.#isFollowed = true
    for (const trail of ended) this.add(trail)
  }

  /** Files an ended request, while anybody reads them: of a write it costs as much as the rest of the trail. */
  add(trail: RecordedTrail): void {
    if (!this.#isFollowed) return
    const key = keyOfWritten(trail)
    if (key === undefined) return
    const revision = this.changes.note(key)
    const written = this.#byKey.get(key)
    if (written === undefined) this.#byKey.set(key, { trails: [trail], since: revision, revision })
    else {
      written.trails.push(trail)
      written.revision = revision
    }
  }

  remove(trail: RecordedTrail): void {
    if (!this.#isFollowed) return
    const key = keyOfWritten(trail) ?? ''
    const trails = this.#byKey.get(key)?.trails
    const at = trails?.indexOf(trail) ?? -1
    if (trails === undefined || at < 0) return
    trails.splice(at, 1)
    if (trails.length === 0) this.#byKey.delete(key)
  }

  clear(): void {
    this.#byKey.clear()
    this.#isFollowed = false
    this.changes.restart()
  }

  /** `shop/deployments.apps:web`: the key of its FieldHistory. */
  keys(): readonly string[] {
    return [...this.#byKey.keys()]
  }

  of(key: string): WrittenObject | undefined {
    return this.#byKey.get(key)
  }
}

function keyOfWritten({ info: { target }, storedKey }: RecordedTrail): string | undefined {
  if (target === undefined || storedKey === undefined) return undefined
  const slash = storedKey.indexOf('/')
  const namespace = slash < 0 ? WITHOUT_NAMESPACE : storedKey.slice(0, slash)
  const resource = target.group === '' ? target.resource : `${target.resource}.${target.group}`
  return `${namespace}/${resource}:${storedKey.slice(slash + 1)}`
}
