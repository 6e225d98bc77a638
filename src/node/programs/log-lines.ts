import { StringDecoder } from 'node:string_decoder'
import type { Clock } from '../../base/clock.ts'
import type { LogSink } from '../runtime/container-log.ts'

/** A line that is longer is kept in pieces. */
const MOST_LINE = 16 * 1024

/** Cuts what one stream of a container writes into the lines of its log. */
export class LogLines {
  readonly #log: LogSink
  readonly #clock: Clock
  readonly #decoder = new StringDecoder('utf8')
  #rest = ''

  constructor(log: LogSink, clock: Clock) {
    this.#log = log
    this.#clock = clock
  }

  write(bytes: Uint8Array): void {
    const text = this.#rest + this.#decoder.write(bytes)
    let from = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.#log.append(text.slice(from, end), this.#clock.now())
      from = end + 1
    }
    this.#rest = text.slice(from)
    while (this.#rest.length > MOST_LINE) {
      this.#log.append(this.#rest.slice(0, MOST_LINE), this.#clock.now(), 'unfinished')
      this.#rest = this.#rest.slice(MOST_LINE)
    }
  }

  /** What is left without an end of its line. */
  end(): void {
    const rest = this.#rest + this.#decoder.end()
    this.#rest = ''
    if (rest !== '') this.#log.append(rest, this.#clock.now(), 'unfinished')
  }
}
