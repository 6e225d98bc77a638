import type { Clock } from '../../base/clock.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Client, Target } from '../../sdk/client/client.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import type { Informers } from './informers.ts'

/** A copy that has not caught up after this long is not waited for any more: the next event will do. */
const PATIENCE_MS = 5_000

/** A client that looks after itself until it is closed. */
export interface ReadYourWritesClient extends Client {
  /** The informers no longer follow: from now on no call waits for them. */
  close(): void
}

/**
 * A client whose writes resolve when the informers of this process have seen them. A controller therefore reads its own writes, and needs
 * no record of expected changes.
 */
export function createReadYourWritesClient(client: Client, informers: Pick<Informers, 'peek'>, clock: Clock): ReadYourWritesClient {
  const followers = new Map<Informer<KubeObject>, Follower>()
  let closed = false
  const followerOf = (target: Target): Follower | undefined => {
    if (closed) return undefined
    const informer = informers.peek(target)
    if (informer === undefined) return undefined
    const follower = followers.get(informer) ?? new Follower(informer, clock)
    followers.set(informer, follower)
    return follower
  }
  const written = async <T extends KubeObject>(target: Target, write: (client: Client) => Promise<Readonly<T>>): Promise<Readonly<T>> => {
    const follower = followerOf(target)
    const object = await write(client)
    if (!closed) await follower?.until(Number(object.metadata?.resourceVersion ?? 0))
    return object
  }
  return {
    ...client,
    create: (target, object, options) => written(target, (c) => c.create(target, object, options)),
    update: (target, object, options) => written(target, (c) => c.update(target, object, options)),
    patch: (target, type, patch, options) => written(target, (c) => c.patch(target, type, patch, options)),
    async delete(target, options) {
      const follower = followerOf(target)
      const before = follower?.get(target)
      const answer = await client.delete(target, options)
      if (before !== undefined && !closed) await follower?.untilGone(target, before)
      return answer
    },
    close() {
      closed = true
      for (const follower of followers.values()) follower.release()
    },
  }
}

/** Knows how far an informer has come. */
class Follower {
  readonly #informer: Informer<KubeObject>
  readonly #clock: Clock
  readonly #waiting = new Set<{ readonly satisfied: () => boolean; readonly release: () => void }>()
  #revision = 0

  constructor(informer: Informer<KubeObject>, clock: Clock) {
    this.#informer = informer
    this.#clock = clock
    const seen = (object: Readonly<KubeObject>) => {
      this.#revision = Math.max(this.#revision, Number(object.metadata.resourceVersion ?? 0))
      for (const waiter of this.#waiting) if (waiter.satisfied()) waiter.release()
    }
    informer.addHandler({ added: seen, updated: seen, deleted: seen })
  }

  get(target: Target): Readonly<KubeObject> | undefined {
    return this.#informer.get(target.namespace === undefined ? (target.name ?? '') : `${target.namespace}/${target.name}`)
  }

  release(): void {
    for (const waiter of [...this.#waiting]) waiter.release()
  }

  until(revision: number): Promise<void> {
    return this.#wait(() => this.#revision >= revision)
  }

  untilGone(target: Target, before: Readonly<KubeObject>): Promise<void> {
    return this.#wait(() => {
      const now = this.get(target)
      return now === undefined || now.metadata.uid !== before.metadata.uid || now.metadata.deletionTimestamp !== undefined
    })
  }

  async #wait(satisfied: () => boolean): Promise<void> {
    if (!this.#informer.hasSynced || satisfied()) return
    await new Promise<void>((resolve) => {
      const release = () => {
        this.#waiting.delete(waiter)
        cancel()
        resolve()
      }
      const waiter = { satisfied, release }
      const cancel = this.#clock.after(PATIENCE_MS, release)
      this.#waiting.add(waiter)
    })
  }
}
