import type { ByteSink } from '../../machinery/streams.ts'
import { writeText } from '../texts.ts'

/** As much is held before it is written. */
const BUFFER_CHARACTERS = 8192

/** Collects small texts, so that not each of them is a write. Its owner flushes it at the end. */
export class BufferedOutput {
  readonly #sink: ByteSink
  #text = ''

  constructor(sink: ByteSink) {
    this.#sink = sink
  }

  async write(text: string): Promise<void> {
    this.#text += text
    if (this.#text.length >= BUFFER_CHARACTERS) await this.flush()
  }

  async flush(): Promise<void> {
    const text = this.#text
    this.#text = ''
    if (text !== '') await writeText(this.#sink, text)
  }
}
