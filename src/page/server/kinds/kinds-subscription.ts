import type { Clock } from '../../../base/clock.ts'
import { messageOf } from '../../../base/message-of.ts'
import type { KindEntry } from '../../wire/overview.ts'
import type { Subscription } from '../subscription.ts'
import type { KindCatalogue } from './kind-catalogue.ts'

interface KindsSubscriptionDeps {
  readonly id: number
  readonly catalogue: KindCatalogue
  readonly clock: Clock
  changed(): void
}

/** Discovery is read this often; an unchanged document is not sent again. */
const READ_MS = 3_000

/** The kinds that the cluster serves. */
export class KindsSubscription implements Subscription {
  readonly #deps: KindsSubscriptionDeps
  #kinds: readonly KindEntry[] | undefined
  #problem = ''
  #stopped = false
  #cancel = () => {}

  constructor(deps: KindsSubscriptionDeps) {
    this.#deps = deps
    void this.#read()
  }

  next() {
    const { id } = this.#deps
    if (this.#problem !== '') return { type: 'error', id, message: this.#problem } as const
    return this.#kinds && ({ type: 'kinds', id, kinds: this.#kinds } as const)
  }

  stop(): void {
    this.#stopped = true
    this.#cancel()
  }

  async #read(): Promise<void> {
    const { catalogue, clock, changed } = this.#deps
    const before = this.#kinds
    try {
      this.#kinds = await catalogue.kinds()
      this.#problem = ''
    } catch (error) {
      this.#problem = messageOf(error)
    }
    if (this.#stopped) return
    if (this.#problem !== '' || JSON.stringify(before) !== JSON.stringify(this.#kinds)) changed()
    this.#cancel = clock.after(READ_MS, () => void this.#read())
  }
}
