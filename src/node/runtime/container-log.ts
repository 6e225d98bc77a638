import type { LogOptions } from './runtime.ts'

interface Line {
  readonly atMs: number
  /** With its end, where it has one. */
  readonly text: string
}

/** How many bytes of output are kept for one container; the oldest lines go first. */
const KEEP_BYTES = 1024 * 1024

/** What one container has printed, in memory, with readers that follow it. */
export class ContainerLog {
  readonly #lines: Line[] = []
  #bytes = 0
  #dropped = 0
  #ended = false
  #waiting: Set<() => void> | undefined

  /** A line; `unfinished`: what comes next belongs to the same. */
  append(line: string, atMs: number, unfinished?: 'unfinished'): void {
    const text = unfinished === undefined ? `${line}\n` : line
    this.#lines.push({ atMs, text })
    this.#bytes += text.length
    while (this.#bytes > KEEP_BYTES && this.#lines.length > 1) {
      this.#bytes -= this.#lines.shift()?.text.length ?? 0
      this.#dropped++
    }
    this.#wake()
  }

  /** Nothing more will come; followers end. */
  end(): void {
    this.#ended = true
    this.#wake()
  }

  async *read(options: LogOptions, signal: AbortSignal): AsyncGenerator<string> {
    const { tailLines, sinceMs = 0, timestamps } = options
    const from = this.#lines.findIndex((l) => l.atMs >= sinceMs)
    const first = from < 0 ? this.#lines.length : from
    let next = this.#dropped + (tailLines === undefined ? first : Math.max(first, this.#lines.length - tailLines))
    for (;;) {
      for (; next - this.#dropped < this.#lines.length; next++) {
        next = Math.max(next, this.#dropped)
        const line = this.#lines[next - this.#dropped]
        if (line !== undefined) yield `${timestamps ? `${new Date(line.atMs).toISOString().replace('Z', '000000Z')} ` : ''}${line.text}`
      }
      if (options.follow !== true || this.#ended || signal.aborted) return
      await new Promise<void>((resolve) => {
        const done = () => {
          this.#waiting?.delete(done)
          signal.removeEventListener('abort', done)
          resolve()
        }
        this.#waiting ??= new Set()
        this.#waiting.add(done)
        signal.addEventListener('abort', done, { once: true })
      })
    }
  }

  #wake(): void {
    for (const done of [...(this.#waiting ?? [])]) done()
  }
}
