import type { PathTarget } from '../request/request-info.ts'
import type { ObservedWatch } from './observed-watch.ts'

/** Readers of one program and user. */
interface Readers {
  readonly user: string
  readonly userAgent: string
  watches: number
}

interface Scope {
  /** Watches without selectors: they get every change. */
  readonly readers: Map<string, Readers>
  /** Watches with selectors: they get some changes. */
  selecting: number
}

export interface Receivers {
  readonly watches: number
  readonly selecting: number
  readonly readers: readonly Readonly<Readers>[]
}

/** Programs that are listed of the receivers of a change. */
const MOST_LISTED = 20

/** Open watches by what they cover, so that the receivers of a change are found without looking at each watch. */
export class WatchScopes {
  readonly #scopes = new Map<string, Scope>()

  add(watch: ObservedWatch): void {
    const key = scopeKey(watch.query.target, watch.query.target.namespace, watch.query.target.name)
    const scope = this.#scopes.get(key) ?? { readers: new Map(), selecting: 0 }
    this.#scopes.set(key, scope)
    if (selects(watch)) {
      scope.selecting++
      return
    }
    const program = programOf(watch)
    const readers = scope.readers.get(program) ?? { user: watch.user.name, userAgent: watch.userAgent, watches: 0 }
    readers.watches++
    scope.readers.set(program, readers)
  }

  remove(watch: ObservedWatch): void {
    const key = scopeKey(watch.query.target, watch.query.target.namespace, watch.query.target.name)
    const scope = this.#scopes.get(key)
    if (scope === undefined) return
    const readers = scope.readers.get(programOf(watch))
    if (selects(watch)) scope.selecting--
    else if (readers !== undefined && --readers.watches === 0) scope.readers.delete(programOf(watch))
    if (scope.selecting === 0 && scope.readers.size === 0) this.#scopes.delete(key)
  }

  /** Who gets changes of the object: watches of the collection, of its namespace, and of itself. */
  covering(target: PathTarget, name: string): Receivers {
    const keys = new Set([
      scopeKey(target, '', ''),
      scopeKey(target, target.namespace, ''),
      scopeKey(target, '', name),
      scopeKey(target, target.namespace, name),
    ])
    let watches = 0
    let selecting = 0
    const readers: Readers[] = []
    for (const key of keys) {
      const scope = this.#scopes.get(key)
      if (scope === undefined) continue
      selecting += scope.selecting
      for (const program of scope.readers.values()) {
        watches += program.watches
        if (readers.length < MOST_LISTED) readers.push(program)
      }
    }
    return { watches, selecting, readers }
  }
}

const scopeKey = ({ group, resource }: PathTarget, namespace: string, name: string) => JSON.stringify([group, resource, namespace, name])

const programOf = ({ user, userAgent }: ObservedWatch) => JSON.stringify([user.name, userAgent])

/** A field selector on the name is part of the target. */
const selects = ({ query }: ObservedWatch) =>
  query.labelSelector !== '' || (query.fieldSelector !== '' && query.fieldSelector !== `metadata.name=${query.target.name}`)
