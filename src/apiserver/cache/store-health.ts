import type { Clock } from '../../base/clock.ts'
import type { Store } from '../../storage/store.ts'

const TIMEOUT_MS = 2000

/** Checks whether the store responds. Checks that come at once share one request. */
export class StoreHealth {
  readonly #store: Pick<Store, 'latest'>
  readonly #clock: Clock
  readonly #timeoutMs: number
  #checking: Promise<boolean> | undefined

  /** `timeoutMs`: how long a check waits; default 2 s. */
  constructor(store: Pick<Store, 'latest'>, clock: Clock, timeoutMs = TIMEOUT_MS) {
    this.#store = store
    this.#clock = clock
    this.#timeoutMs = timeoutMs
  }

  responds(): Promise<boolean> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  async #check(): Promise<boolean> {
    const late = Promise.withResolvers<boolean>()
    const cancel = this.#clock.after(this.#timeoutMs, () => late.resolve(false))
    const responds = this.#store.latest().then(
      () => true,
      () => false,
    )
    const result = await Promise.race([responds, late.promise])
    cancel()
    return result
  }
}
