import type { Cancel, Clock } from '../../../base/clock.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { KindEntry } from '../../wire/overview.ts'
import type { CellColumn } from './cell-columns.ts'
import { Collection, type CollectionDeps } from './collection.ts'

/** A collection that is looked at, until `release`. */
export interface HeldCollection {
  readonly collection: Collection
  release(): void
}

/** Collections live on so long after the last look: going back finds them as they are now. */
const LINGER_MS = 15_000

type Selected = Pick<CollectionDeps, 'namespace' | 'labelSelector' | 'fieldSelector'>
const ALL: Selected = { namespace: '', labelSelector: '', fieldSelector: '' }

interface Kept {
  readonly collection: Collection
  holders: number
  cancel: Cancel | undefined
}

/** The collections that any browser looks at now: each is read once for all. */
export class Collections {
  readonly #client: Client
  readonly #clock: Clock
  readonly #kept = new Map<string, Kept>()

  constructor(deps: { readonly client: Client; readonly clock: Clock }) {
    this.#client = deps.client
    this.#clock = deps.clock
  }

  hold(kind: KindEntry, columns: readonly CellColumn[], selected: Selected = ALL): HeldCollection {
    const { namespace, labelSelector, fieldSelector } = selected
    const key = JSON.stringify([kind.group, kind.version, kind.resource, namespace, labelSelector, fieldSelector])
    const kept = this.#kept.get(key) ?? this.#open(key, { kind, columns, namespace, labelSelector, fieldSelector })
    kept.cancel?.()
    kept.cancel = undefined
    kept.holders++
    let released = false
    return {
      collection: kept.collection,
      release: () => {
        if (released) return
        released = true
        kept.holders--
        if (kept.holders === 0) kept.cancel = this.#clock.after(LINGER_MS, () => this.#close(key, kept))
      },
    }
  }

  stop(): void {
    for (const [key, kept] of this.#kept) this.#close(key, kept)
  }

  #open(key: string, what: Omit<CollectionDeps, 'client' | 'clock'>): Kept {
    const kept = { collection: new Collection({ ...what, client: this.#client, clock: this.#clock }), holders: 0, cancel: undefined }
    this.#kept.set(key, kept)
    return kept
  }

  #close(key: string, { collection, cancel }: Kept): void {
    cancel?.()
    collection.stop()
    this.#kept.delete(key)
  }
}
