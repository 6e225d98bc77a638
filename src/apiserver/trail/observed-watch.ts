import type { UserInfo } from '../../machinery/resource/user.ts'
import type { Request } from '../request/request.ts'
import type { PathTarget } from '../request/request-info.ts'
import type { WatchSession, WatchStep } from '../store/watch-session.ts'

/** What a watch asked for. */
export interface WatchQuery {
  readonly target: PathTarget
  readonly labelSelector: string
  readonly fieldSelector: string
}

/** Where open watches are listed. */
export interface WatchKeeper {
  now(): number
  closed(watch: ObservedWatch): void
}

/** A watch whose steps are counted on their way to its reader. */
export class ObservedWatch implements WatchSession {
  readonly name: string
  readonly query: WatchQuery
  readonly user: UserInfo
  readonly userAgent: string
  readonly startedAt: number
  /** How often its reader has opened it lately. */
  readonly openings: WatchOpenings
  readonly #session: WatchSession
  readonly #keeper: WatchKeeper
  events = 0
  /** The revision of the last event or bookmark; 0: none yet. */
  lastRevision = 0
  lastAt: number | undefined
  /** Something was counted since the watch was reported last. */
  moved = false
  /** The revision of its opening, and of its last change, in the list of watches. */
  since = 0
  revision = 0

  constructor(name: string, { request, query, session, openings }: CountedOpening, keeper: WatchKeeper) {
    this.name = name
    this.openings = openings
    this.query = query
    this.user = request.user
    this.userAgent = request.userAgent
    this.startedAt = keeper.now()
    this.#session = session
    this.#keeper = keeper
  }

  get pending(): number | undefined {
    return this.#session.pending
  }

  onReady(ready: () => void): void {
    this.#session.onReady(ready)
  }

  next(): WatchStep | undefined {
    const step = this.#session.next()
    if (step !== undefined) this.#count(step)
    return step
  }

  #count(step: WatchStep): void {
    if (step.kind === 'end') this.#keeper.closed(this)
    if (step.kind === 'error' && step.status.code === 410) this.openings.expired++
    if (step.kind === 'events') {
      this.events += step.batch.events.length
      this.lastRevision = step.batch.events.at(-1)?.revision ?? this.lastRevision
    } else if (step.kind === 'bookmark') this.lastRevision = step.revision
    this.lastAt = this.#keeper.now()
    this.moved = true
  }

  finish(): void {
    this.#session.finish()
  }

  close(): void {
    this.#session.close()
    this.#keeper.closed(this)
  }
}

/** A watch that begins. */
export interface WatchOpening {
  readonly request: Pick<Request, 'user' | 'userAgent' | 'trail'>
  readonly query: WatchQuery
  readonly session: WatchSession
}

/** How often one reader has opened the same watch, since `since`. */
export interface WatchOpenings {
  readonly since: number
  count: number
  /** How many of them ended with 410: they could not keep up, or resumed too late. */
  expired: number
}

/** A watch that begins, and how often it was opened. */
export interface CountedOpening extends WatchOpening {
  readonly openings: WatchOpenings
}
