/** Kubernetes' bounds: when the total exceeds this, each warning is cut, and no further one is added. */
const MOST_CHARACTERS = 4096
const MOST_OF_ONE = 256
/** Node's HTTP client accepts 128 headers, and breaks the stream at one more. */
const MOST_WARNINGS = 100

// biome-ignore lint/suspicious/noControlCharactersInRegex: a warning with one of these is omitted, as in Kubernetes.
const CONTROL = /[\x00-\x1f\x7f-\x9f]/

/** The warnings of a response, in order and without duplicates, bounded by what a header block can hold. */
export class Warnings {
  /** Created with the first warning: most requests have none. */
  #made: Set<string> | undefined
  #characters = 0
  #cutting = false

  /** Text that contains control characters is left out, as in Kubernetes. */
  add(text: string): void {
    if (text === '' || this.#full || this.#texts.has(text) || CONTROL.test(text)) return
    const length = characters(text)
    if (!this.#cutting && this.#characters + length > MOST_CHARACTERS) this.#cut()
    this.#put(this.#cutting ? cut(text) : text)
  }

  /** The values of the `Warning` headers (RFC 7234), as text. */
  values(): string[] {
    return this.#made === undefined ? [] : [...this.#made].map((text) => `299 - "${text.replace(/[\\"]/g, '\\$&')}"`)
  }

  get #texts(): Set<string> {
    this.#made ??= new Set()
    return this.#made
  }

  get #full(): boolean {
    return this.#texts.size >= MOST_WARNINGS || (this.#cutting && this.#characters >= MOST_CHARACTERS)
  }

  #put(text: string): void {
    if (this.#texts.has(text)) return
    this.#texts.add(text)
    this.#characters += characters(text)
  }

  #cut(): void {
    const before = [...this.#texts]
    this.#cutting = true
    this.#texts.clear()
    this.#characters = 0
    for (const text of before) this.#put(cut(text))
  }
}

/** Counts code points, up to the bound. */
function characters(text: string): number {
  let n = 0
  for (const _ of text.slice(0, 2 * MOST_CHARACTERS + 2)) n++
  return n
}

const cut = (text: string): string =>
  text.length <= MOST_OF_ONE ? text : [...text.slice(0, 2 * MOST_OF_ONE)].slice(0, MOST_OF_ONE).join('')
