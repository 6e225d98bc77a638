import type { TerminalSize } from './streams.ts'

/** The sizes of a terminal, for one reader at a time: only the latest counts, it replaces one that was not read yet. */
export class TerminalSizes implements AsyncIterable<TerminalSize> {
  #latest: TerminalSize | undefined
  #ended = false
  #wake = () => {}

  push(size: TerminalSize): void {
    this.#latest = size
    this.#wake()
  }

  end(): void {
    this.#ended = true
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TerminalSize> {
    while (!this.#ended || this.#latest !== undefined) {
      const size = this.#latest
      this.#latest = undefined
      if (size !== undefined) yield size
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
    }
  }
}
