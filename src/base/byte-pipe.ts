/** One direction of bytes inside the process, with a bound: the writer waits while the reader is behind by more than that. */
export interface BytePipe {
  readonly source: AsyncIterable<Uint8Array>
  readonly sink: { write(chunk: Uint8Array): Promise<void>; end(): Promise<void> }
  /** Breaks it off: a waiting reader and every later write get this error. What was written before is still read. */
  destroy(error: Error): void
}

const DEFAULT_LIMIT_BYTES = 256 * 1024
/** So many chunks fill a pipe, however small they are: each of them takes memory. */
const MOST_CHUNKS = 2048

/**
 * A pipe that holds `limitBytes` (default 256 KiB) in at most 2,048 chunks, and one chunk more. Reading may stop at any time; then writes
 * reject.
 */
export function createBytePipe(limitBytes: number = DEFAULT_LIMIT_BYTES): BytePipe {
  const chunks: Uint8Array[] = []
  let held = 0
  let ended = false
  let broken: Error | undefined
  let wakeReader: (() => void) | undefined
  const writers = new Set<{ resolve(): void; reject(error: Error): void }>()

  const full = () => held > limitBytes || chunks.length > MOST_CHUNKS
  const readerTurn = () => {
    wakeReader?.()
    wakeReader = undefined
  }
  const letWriters = () => {
    for (const w of writers) w.resolve()
    writers.clear()
  }
  const destroy = (error: Error) => {
    if (broken !== undefined) return
    broken = error
    for (const w of writers) w.reject(error)
    writers.clear()
    readerTurn()
  }

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = chunks.shift()
        if (chunk !== undefined) {
          held -= chunk.length
          if (!full()) letWriters()
          yield chunk
        } else if (ended) return
        else if (broken !== undefined) throw broken
        else
          await new Promise<void>((resolve) => {
            wakeReader = resolve
          })
      }
    } finally {
      chunks.length = 0
      if (!ended) destroy(new Error('the reader has gone'))
    }
  }

  return {
    source: read(),
    sink: {
      async write(chunk) {
        if (broken !== undefined) throw broken
        if (ended) throw new Error('written after the end')
        if (chunk.length === 0) return
        chunks.push(chunk)
        held += chunk.length
        readerTurn()
        if (!full()) return
        await new Promise<void>((resolve, reject) => {
          writers.add({ resolve, reject })
        })
      },
      async end() {
        ended = true
        readerTurn()
      },
    },
    destroy,
  }
}
