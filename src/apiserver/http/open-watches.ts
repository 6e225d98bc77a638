import type { WatchSession } from '../store/watch-session.ts'

/** The watches that clients read over sockets. A server that stops ends them, so that its clients watch at another one. */
export class OpenWatches {
  readonly #sessions = new Set<WatchSession>()
  #ending = false

  /** Holds the watch while `written` is pending. */
  async during(session: WatchSession, written: () => Promise<void>): Promise<void> {
    this.#sessions.add(session)
    if (this.#ending) session.finish()
    try {
      await written()
    } finally {
      this.#sessions.delete(session)
    }
  }

  /** Ends all of them, and each later one after its first events. */
  end(): void {
    this.#ending = true
    for (const session of this.#sessions) session.finish()
  }
}
