import type { Cancel } from '../../../base/clock.ts'
import type { ServerMessage } from '../../wire/messages.ts'
import type { Collection, RowListener } from '../rows/collection.ts'
import type { Subscription } from '../subscription.ts'
import type { ClusterIndex } from './cluster-index.ts'

/** A subscription to something that is made from the rows of all kinds. */
export abstract class IndexSubscription implements Subscription {
  protected readonly index: ClusterIndex
  readonly #unlisten: Cancel[] = []

  constructor(index: ClusterIndex, changed: () => void) {
    this.index = index
    const follow = (collections: readonly Collection[]) => {
      for (const collection of collections) {
        const listener: RowListener = (row, change) => {
          this.saw(collection, row, change)
          // Kinds come and go with their definitions.
          if (row !== undefined && !collection.loading && collection.deps.kind.resource === 'customresourcedefinitions') index.refresh()
          changed()
        }
        this.#unlisten.push(collection.listen(listener))
      }
      changed()
    }
    this.#unlisten.push(index.look(follow))
  }

  abstract next(): ServerMessage | undefined

  stop(): void {
    for (const unlisten of this.#unlisten) unlisten()
  }

  /** A row of a collection has changed. */
  protected saw(..._: [Collection, ...Parameters<RowListener>]): void {}
}
