import type { Http2Session, ServerHttp2Stream } from 'node:http2'
import type { Cancel, Clock } from '../../../base/clock.ts'

/** A connection of HTTP/2 on which nothing is asked for so long is ended; as Go's server does it for Kubernetes. */
export const IDLE_MS = 90_000
/** How long one that was told so may take to go. */
const GRACE_MS = 3_000
const LOOK_MS = 1_000

interface Use {
  streams: number
  idleSince: number
}

/**
 * Ends connections of HTTP/2 that nobody uses: without a preface, idle after it, or in the middle of a head (Node's own limits know HTTP/1.1 alone). What
 * keeps a connection is an open stream and nothing else: pings do not.
 */
export class IdleSessions implements Disposable {
  readonly #clock: Clock
  readonly #sessions = new Map<Http2Session, Use>()
  #timer: Cancel | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(session: Http2Session): void {
    this.#sessions.set(session, { streams: 0, idleSince: this.#clock.monotonic() })
    session.on('close', () => this.#sessions.delete(session))
    this.#timer ??= this.#clock.after(LOOK_MS, () => this.#look())
  }

  /** A stream began; its end is seen here too. */
  use(stream: ServerHttp2Stream): void {
    const use = stream.session && this.#sessions.get(stream.session)
    if (use === undefined) return
    use.streams++
    stream.on('close', () => {
      use.streams--
      if (use.streams === 0) use.idleSince = this.#clock.monotonic()
    })
  }

  #look(): void {
    const now = this.#clock.monotonic()
    for (const [session, { streams, idleSince }] of this.#sessions) {
      if (streams > 0 || now - idleSince < IDLE_MS) continue
      // Told that no more is taken; who does not go by then is put out.
      session.close()
      if (now - idleSince >= IDLE_MS + GRACE_MS) session.destroy()
    }
    this.#timer = this.#sessions.size === 0 ? undefined : this.#clock.after(LOOK_MS, () => this.#look())
  }

  [Symbol.dispose](): void {
    this.#timer?.()
    this.#timer = undefined
    for (const session of this.#sessions.keys()) session.destroy()
  }
}
