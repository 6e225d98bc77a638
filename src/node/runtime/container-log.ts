import { Signal } from '../../base/signal.ts'
import { LogFile } from './log-file.ts'
import type { LogOptions } from './runtime.ts'

/** When a container's log is rotated, as in the kubelet's configuration. */
export interface LogLimits {
  /** `containerLogMaxSize`: a larger file is rotated; reads start with the current file. */
  readonly maxBytes: number
  /** `containerLogMaxFiles`: the number of files that are kept for slow readers, the current one included. */
  readonly maxFiles: number
}

/** The kubelet's defaults. */
export const LOG_LIMITS: LogLimits = { maxBytes: 10 << 20, maxFiles: 5 }

/** Receives a container's output lines. */
export interface LogSink {
  /** A line; `unfinished`: the next call continues it. */
  append(line: string, atMs: number, unfinished?: 'unfinished'): void
  /** Resolves when there is room for more; undefined: there is. */
  room?(): Promise<void> | undefined
}

/** The output of one container, in memory, with readers that follow it. Rotated files are kept while they are read. */
export class ContainerLog implements LogSink {
  readonly #limits: LogLimits
  #current: LogFile = new LogFile()
  /** Files that are still being read, the oldest first. */
  #rotated: readonly LogFile[] = []
  #ended = false
  /** Created for the first follower: most logs are never followed. */
  #changed: Signal | undefined

  constructor(limits: LogLimits = LOG_LIMITS) {
    this.#limits = limits
  }

  /** The bytes it holds, for tests of its bounds. */
  get heldBytes(): number {
    return [this.#current, ...this.#rotated].reduce((sum, file) => sum + file.bytes, 0)
  }

  append(line: string, atMs: number, unfinished?: 'unfinished'): void {
    this.#current.append(unfinished === undefined ? `${line}\n` : line, atMs)
    if (this.#current.bytes >= this.#limits.maxBytes) this.#rotate()
    this.#changed?.raise()
  }

  /** No more output follows; followers end. */
  end(): void {
    this.#ended = true
    this.#changed?.raise()
  }

  async *read({ tailLines, sinceMs = 0, timestamps, follow = false }: LogOptions, signal: AbortSignal): AsyncGenerator<string> {
    let file = this.#current
    let next = Math.max(file.firstSince(sinceMs), tailLines === undefined ? 0 : file.count - tailLines)
    for (;;) {
      file.readers++
      try {
        for (let line = file.line(next); line !== undefined; line = file.line(++next))
          yield timestamps ? `${new Date(line.atMs).toISOString().replace('Z', '000000Z')} ${line.text}` : line.text
        // Without `follow`, reading ends with the file that was current when it began.
        if (!follow || signal.aborted) return
        if (file.next === undefined) {
          if (this.#ended) return
          this.#changed ??= new Signal()
          await this.#changed.wait({ signal })
          continue
        }
      } finally {
        file.readers--
      }
      file = file.next
      next = 0
    }
  }

  /** Drops rotated files that have no reader now or later, and those beyond the limit. */
  #rotate(): void {
    const full = this.#current
    this.#current = new LogFile()
    full.next = this.#current
    const files = [...this.#rotated, full]
    const read = files.findIndex((file) => file.readers > 0)
    const first = read < 0 ? files.length : Math.max(read, files.length - (this.#limits.maxFiles - 1))
    for (const file of files.slice(0, first)) file.drop()
    this.#rotated = files.slice(first)
  }
}
