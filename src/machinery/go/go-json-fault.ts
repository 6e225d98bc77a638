/**
 * The error of Go's `json.Unmarshal` for a text that should be a JSON object; undefined if it is one (or null).
 * `goType` is the type that the error names.
 */
export function goJsonFault(text: string, goType: string): string | undefined {
  const syntax = new Scanner(text).fault()
  if (syntax !== undefined) return syntax
  const first = text.trimStart().charAt(0)
  const kinds: Record<string, string> = { '"': 'string', '[': 'array', t: 'bool', f: 'bool' }
  if (first === '{' || first === 'n') return undefined
  return `json: cannot unmarshal ${kinds[first] ?? 'number'} into Go value of type ${goType}`
}

/** As in Go. */
const MAX_DEPTH = 10_000
const END = 'unexpected end of JSON input'
const SPACE = /[ \t\r\n]/

class Fault extends Error {}

/** Scans the text as Go's scanner does and stops at the first invalid character. */
class Scanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  fault(): string | undefined {
    try {
      this.#value()
      this.#space()
      if (this.#at < this.#text.length) this.#refuse('after top-level value')
      return undefined
    } catch (error) {
      if (error instanceof Fault) return error.message
      throw error
    }
  }

  #peek(): string {
    if (this.#at >= this.#text.length) throw new Fault(END)
    return this.#text.charAt(this.#at)
  }

  #space(): void {
    while (this.#at < this.#text.length && SPACE.test(this.#text.charAt(this.#at))) this.#at++
  }

  #refuse(where: string): never {
    const c = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0)
    throw new Fault(`invalid character ${quoteChar(c)} ${where}`)
  }

  /** A value with all that it contains. What is open is in a list: texts may be nested more deeply than functions may call each other. */
  #value(): void {
    const open: string[] = []
    do {
      this.#begin(open)
      while (open.length > 0 && !this.#continues(open.at(-1) ?? '')) open.pop()
    } while (open.length > 0)
  }

  /** Reads up to the first value without parts. `open` has the closing characters of objects and arrays that are not complete. */
  #begin(open: string[]): void {
    for (;;) {
      this.#space()
      const c = this.#peek()
      if (c !== '{' && c !== '[') {
        this.#scalar(c)
        return
      }
      if (open.length >= MAX_DEPTH) this.#refuse('exceeded max depth')
      this.#at++
      this.#space()
      const closing = c === '{' ? '}' : ']'
      if (this.#peek() === closing) {
        this.#at++
        return
      }
      open.push(closing)
      if (c === '{') this.#key()
    }
  }

  /** True if the object or array has another member. */
  #continues(closing: string): boolean {
    this.#space()
    const c = this.#peek()
    if (c !== ',' && c !== closing) this.#refuse(closing === '}' ? 'after object key:value pair' : 'after array element')
    this.#at++
    if (c === closing) return false
    if (closing === '}') this.#key()
    return true
  }

  #key(): void {
    this.#space()
    if (this.#peek() !== '"') this.#refuse('looking for beginning of object key string')
    this.#string()
    this.#space()
    if (this.#peek() !== ':') this.#refuse('after object key')
    this.#at++
  }

  #scalar(c: string): void {
    if (c === '"') this.#string()
    else if (c === 't') this.#literal('true')
    else if (c === 'f') this.#literal('false')
    else if (c === 'n') this.#literal('null')
    else if (c === '-' || (c >= '0' && c <= '9')) this.#number()
    else this.#refuse('looking for beginning of value')
  }

  #string(): void {
    this.#at++
    for (;;) {
      const c = this.#peek()
      if (c === '"') {
        this.#at++
        return
      }
      if (c < ' ') this.#refuse('in string literal')
      this.#at++
      if (c !== '\\') continue
      const e = this.#peek()
      if (e === 'u') {
        this.#at++
        for (let i = 0; i < 4; i++) {
          if (!/[0-9a-fA-F]/.test(this.#peek())) this.#refuse('in \\u hexadecimal character escape')
          this.#at++
        }
      } else if ('"\\/bfnrt'.includes(e)) this.#at++
      else this.#refuse('in string escape code')
    }
  }

  #literal(word: string): void {
    for (let i = 0; i < word.length; i++) {
      if (this.#peek() !== word.charAt(i)) this.#refuse(`in literal ${word} (expecting ${quoteChar(word.charAt(i))})`)
      this.#at++
    }
  }

  #number(): void {
    if (this.#peek() === '-') {
      this.#at++
      if (!isDigit(this.#peek())) this.#refuse('in numeric literal')
    }
    if (this.#peek() === '0') this.#at++
    else this.#digits()
    if (this.#text.charAt(this.#at) === '.') {
      this.#at++
      if (!isDigit(this.#peek())) this.#refuse('after decimal point in numeric literal')
      this.#digits()
    }
    if (/[eE]/.test(this.#text.charAt(this.#at))) {
      this.#at++
      if (/[+-]/.test(this.#peek())) this.#at++
      if (!isDigit(this.#peek())) this.#refuse('in exponent of numeric literal')
      this.#digits()
    }
  }

  #digits(): void {
    while (isDigit(this.#text.charAt(this.#at))) this.#at++
  }
}

const isDigit = (c: string) => c >= '0' && c <= '9' && c !== ''

/** Go's `quoteChar`: `'x'`, `'\''`, `'"'`. */
function quoteChar(c: string): string {
  if (c === "'") return `'\\''`
  if (c === '"') return `'"'`
  return `'${JSON.stringify(c).slice(1, -1)}'`
}
