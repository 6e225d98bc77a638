import { onAbort, orAborted } from '../../base/on-abort.ts'
import type { ByteSink } from '../../machinery/streams.ts'
import type { Input } from './process.ts'

/** As much as Linux keeps. */
const MOST_BYTES = 65_536

/** The read end is closed: the writer ends with this error, as by SIGPIPE. */
export class BrokenPipeError extends Error {
  override readonly name = 'BrokenPipeError'
  constructor() {
    super('Broken pipe')
  }
}

export interface Pipe {
  readonly input: Input & { /** Nothing more will be read. */ close(): void }
  readonly sink: ByteSink
}

/** A pipe: what is written into one end is read from the other, with back-pressure. */
export function createPipe(): Pipe {
  const waiting: Uint8Array[] = []
  let held = 0
  let ended = false
  let closed = false
  const waiters = new Set<() => void>()
  const wake = () => {
    for (const go of [...waiters]) go()
    waiters.clear()
  }
  const changed = (signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const go = () => {
        listening[Symbol.dispose]()
        resolve()
      }
      waiters.add(go)
      const listening = onAbort(signal, () => {
        waiters.delete(go)
        reject(signal?.reason)
      })
    })
  return {
    input: {
      async read(signal) {
        while (waiting.length === 0 && !ended) await changed(signal)
        const bytes = waiting.shift()
        held -= bytes?.length ?? 0
        wake()
        return bytes
      },
      unread(bytes) {
        if (bytes.length === 0) return
        waiting.unshift(bytes)
        held += bytes.length
      },
      close() {
        closed = true
        wake()
      },
    },
    sink: {
      async write(bytes) {
        while (held >= MOST_BYTES && !closed) await changed()
        if (closed) throw new BrokenPipeError()
        if (bytes.length === 0 || ended) return
        waiting.push(bytes)
        held += bytes.length
        wake()
      },
      async end() {
        ended = true
        wake()
      },
    },
  }
}

/** Nothing to read. */
export const emptyInput: Input = { read: async () => undefined, unread: () => {} }

/** Discards its input. */
export const nullSink: ByteSink = { write: async () => {}, end: async () => {} }

/** Reads these bytes in pieces, then the end. */
export function inputOf(bytes: Uint8Array): Input {
  const waiting = [bytes]
  return {
    async read() {
      const next = waiting.shift()
      if (next !== undefined && next.length > MOST_BYTES) waiting.unshift(next.subarray(MOST_BYTES))
      return next?.subarray(0, MOST_BYTES)
    },
    unread: (more) => void waiting.unshift(more),
  }
}

/** What comes from a stream, as an input that several processes may read one after the other. */
export function inputFrom(source: AsyncIterable<Uint8Array>): Input {
  const given: Uint8Array[] = []
  const iterator = source[Symbol.asyncIterator]()
  // A read that was given up continues, and the next read gets its result.
  let underWay: Promise<IteratorResult<Uint8Array>> | undefined
  return {
    async read(signal) {
      signal?.throwIfAborted()
      const first = given.shift()
      if (first !== undefined) return first
      underWay ??= iterator.next()
      const { done, value } = await orAborted(underWay, signal)
      underWay = done === true ? underWay : undefined
      return done === true ? undefined : value
    },
    unread: (bytes) => void given.unshift(bytes),
  }
}
