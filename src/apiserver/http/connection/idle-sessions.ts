import type { Http2Session, ServerHttp2Stream } from 'node:http2'
import type { Cancel, Clock } from '../../../base/clock.ts'

/** An HTTP/2 connection without a stream for this long is closed, as Go's server does it for Kubernetes. */
export const IDLE_MS = 90_000
/** How long a client may take to close after GOAWAY. */
const GRACE_MS = 3_000
const LOOK_MS = 1_000

interface Use {
  streams: number
  idleSince: number
}

/**
 * Closes unused HTTP/2 connections: those without a preface, idle ones, and ones in the middle of a header block (Node's own limits cover
 * HTTP/1.1 only). Only an open stream keeps a connection; pings do not.
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

  /** Marks the session as used until the stream ends. */
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
      // Sends GOAWAY; a client that does not close in time is disconnected.
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
