import { Signal } from '../../base/signal.ts'
import { LogFile } from './log-file.ts'
import type { LogOptions } from './runtime.ts'

/** When a container's log is rotated, as the kubelet's configuration says it. */
export interface LogLimits {
  /** `containerLogMaxSize`: a file that is larger is rotated; what is read is what the current file holds. */
  readonly maxBytes: number
  /** `containerLogMaxFiles`: so many stay for those who read them, the current one included. */
  readonly maxFiles: number
}

/** The kubelet's. */
export const LOG_LIMITS: LogLimits = { maxBytes: 10 << 20, maxFiles: 5 }

/** Where a container's lines go. */
export interface LogSink {
  /** A line; `unfinished`: what comes next belongs to the same. */
  append(line: string, atMs: number, unfinished?: 'unfinished'): void
  /** Resolves when there is room for more; undefined: there is. */
  room?(): Promise<void> | undefined
}

/** What one container has printed, in memory, with readers that follow it. Rotated files are kept for as long as somebody reads them. */
export class ContainerLog implements LogSink {
  readonly #limits: LogLimits
  #current: LogFile = new LogFile()
  /** Files that are read still, the oldest first. */
  #rotated: readonly LogFile[] = []
  #ended = false
  /** There once somebody has waited: most logs are never followed. */
  #changed: Signal | undefined

  constructor(limits: LogLimits = LOG_LIMITS) {
    this.#limits = limits
  }

  /** What it holds, for tests of its bounds. */
  get heldBytes(): number {
    return [this.#current, ...this.#rotated].reduce((sum, file) => sum + file.bytes, 0)
  }

  append(line: string, atMs: number, unfinished?: 'unfinished'): void {
    this.#current.append(unfinished === undefined ? `${line}\n` : line, atMs)
    if (this.#current.bytes >= this.#limits.maxBytes) this.#rotate()
    this.#changed?.raise()
  }

  /** Nothing more will come; followers end. */
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

  /** What nobody reads any more, and nobody who lags will come to, goes; so does what lies too far back. */
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
