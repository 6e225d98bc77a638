import { shownText } from '../../wire/shown-text.ts'

/** The last lines of a stream that are kept for a browser, and characters of a line before it is cut. */
const MAX_LINES = 5_000
const MAX_LINE = 16_384
/** Lines of one message. */
const MAX_SENT = 1_000

/** Colours and movements of the cursor, which a list of lines does not have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins them
const ESCAPES = /\u001b\[[0-9;?]*[A-Za-z]/g

/** Lines of a stream on their way to a browser: those that it has not taken in time are dropped, the oldest first. */
export class KeptLines {
  readonly #decoder = new TextDecoder()
  #open = ''
  #lines: string[] = []
  /** The number of the first kept line that was not sent. */
  #from = 0

  /** Takes bytes as they come. */
  write(chunk: Uint8Array): void {
    const [first = '', ...rest] = (this.#open + this.#decoder.decode(chunk, { stream: true })).split('\n')
    this.#open = rest.pop() ?? (rest.length === 0 && !chunk.includes(0x0a) ? first : '')
    if (chunk.includes(0x0a)) for (const line of [first, ...rest]) this.add(line)
    if (this.#open.length > MAX_LINE) this.end()
  }

  /** The last line may have no end. */
  end(): void {
    if (this.#open === '') return
    this.add(this.#open)
    this.#open = ''
  }

  add(line: string): void {
    this.#lines.push(shownText(line.replace(/\r$/, '').replaceAll(ESCAPES, '')))
    if (this.#lines.length <= MAX_LINES) return
    this.#lines.shift()
    this.#from++
  }

  /** The next lines to send; `from` is the number of the first. */
  take(): { readonly from: number; readonly lines: readonly string[]; readonly hasMore: boolean } {
    const lines = this.#lines.splice(0, MAX_SENT)
    const from = this.#from
    this.#from += lines.length
    return { from, lines, hasMore: this.#lines.length > 0 }
  }
}
