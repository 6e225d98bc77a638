import { AsyncLocalStorage } from 'node:async_hooks'

/** Why something is written: a controller acts on an event. */
export interface Cause {
  /** The resourceVersion of the event's object. */
  readonly revision: string
  /** Who acts. */
  readonly controller: string
}

/** Gets the writes of what it was passed for. */
export type WriteNote<Write> = (write: Write) => void

interface Acting {
  readonly cause: Cause | undefined
  readonly note: WriteNote<never> | undefined
}

const acting = new AsyncLocalStorage<Acting>()
/** The revision of the event whose handlers are being called; they run to their end before another event comes. */
let delivered: string | undefined

/** Calls handlers of an event: keys that they put into a queue are caused by it. */
export function deliver(revision: string | undefined, callHandlers: () => void): void {
  const before = delivered
  delivered = revision
  try {
    callHandlers()
  } finally {
    delivered = before
  }
}

/** The revision that what runs now is caused by. */
export const causingRevision = (): string | undefined => delivered ?? acting.getStore()?.cause?.revision

/** Runs something whose requests have this cause; `note` gets its writes. */
export const actFor = <T>(cause: Cause | undefined, act: () => T, note?: WriteNote<never>): T =>
  cause === undefined && note === undefined ? act() : acting.run({ cause, note }, act)

export const currentCause = (): Cause | undefined => acting.getStore()?.cause

/** Who notes the writes of what runs now. */
export const currentNote = <Write>(): WriteNote<Write> | undefined => acting.getStore()?.note as WriteNote<Write> | undefined
