/** A path that cannot be parsed or followed. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError'
}

export type PathStep =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'recursive' }
  | { readonly kind: 'slice'; readonly from: number | undefined; readonly to: number | undefined }
  | { readonly kind: 'union'; readonly paths: readonly Path[] }
  | { readonly kind: 'filter'; readonly left: Path; readonly operator: string; readonly right: Path }
  | { readonly kind: 'value'; readonly value: string | number | boolean }
  | { readonly kind: 'identifier'; readonly name: string }

export type Path = readonly PathStep[]

const maxNesting = 50

/** Parses one expression of Kubernetes' JSONPath, as written between braces: `.spec.list[?(@.x=="b")].y`. */
export function parsePath(text: string, nesting = 0): Path {
  if (nesting > maxNesting) throw new JsonPathError('expression is nested too deeply')
  return new PathParser(text, nesting).parse()
}

const terminators = ' \t\r\n.,[]$@{}'

class PathParser {
  readonly #text: string
  readonly #nesting: number
  readonly #steps: PathStep[] = []
  #at = 0

  constructor(text: string, nesting: number) {
    this.#text = text
    this.#nesting = nesting
  }

  parse(): Path {
    while (this.#at < this.#text.length && this.#text[this.#at] !== '}') this.#step()
    return this.#steps
  }

  #step(): void {
    const rest = this.#text.slice(this.#at, this.#at + 3)
    if (rest === '[?(') this.#filter()
    else if (rest.startsWith('..')) this.#recursive()
    else {
      const c = this.#text[this.#at] ?? ''
      if (c === '\n' || c === '\r') throw new JsonPathError('unclosed action')
      if (c === ' ' || c === '@' || c === '$') this.#at++
      else if (c === '[') this.#bracket()
      else if (c === '"' || c === "'") this.#quoted(c)
      else if (c === '.') {
        this.#at++
        this.#field()
      } else if (c === '+' || c === '-' || /\p{Nd}/u.test(c)) this.#number()
      else if (/[\p{L}_]/u.test(c)) this.#identifier()
      else
        throw new JsonPathError(`unrecognized character in action: U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')} '${c}'`)
    }
  }

  #field(): void {
    let name = ''
    while (this.#at < this.#text.length) {
      const c = this.#text[this.#at] ?? ''
      if (c === '\\') {
        name += this.#text[this.#at + 1] ?? ''
        this.#at += 2
      } else if (terminators.includes(c)) break
      else {
        name += c
        this.#at++
      }
    }
    this.#steps.push(name === '*' ? { kind: 'wildcard' } : { kind: 'field', name })
  }

  #recursive(): void {
    if (this.#steps.at(-1)?.kind === 'recursive') throw new JsonPathError('invalid multiple recursive descent')
    this.#at += 2
    this.#steps.push({ kind: 'recursive' })
    if (/[\p{L}\p{Nd}_]/u.test(this.#text[this.#at] ?? '')) this.#field()
  }

  #number(): void {
    const match = /^[-+]?[0-9.]*/.exec(this.#text.slice(this.#at))?.[0] ?? ''
    const value = Number(match)
    if (!/[0-9]/.test(match) || Number.isNaN(value)) throw new JsonPathError(`cannot parse number ${match}`)
    this.#at += match.length
    this.#steps.push({ kind: 'value', value })
  }

  #identifier(): void {
    const start = this.#at
    while (this.#at < this.#text.length && !terminators.includes(this.#text[this.#at] ?? '')) this.#at++
    const name = this.#text.slice(start, this.#at)
    this.#steps.push(name === 'true' || name === 'false' ? { kind: 'value', value: name === 'true' } : { kind: 'identifier', name })
  }

  #quoted(quote: string): void {
    const start = ++this.#at
    while (this.#text[this.#at] !== quote || this.#text[this.#at - 1] === '\\') {
      if (this.#at >= this.#text.length || this.#text[this.#at] === '\n') throw new JsonPathError('unterminated quoted string')
      this.#at++
    }
    this.#steps.push({ kind: 'value', value: unquoted(this.#text.slice(start, this.#at++)) })
  }

  #bracket(): void {
    const end = this.#text.indexOf(']', this.#at)
    if (end < 0) throw new JsonPathError('unterminated array')
    const inner = this.#text.slice(this.#at + 1, end)
    this.#at = end + 1
    if (inner === '*') {
      this.#steps.push({ kind: 'slice', from: undefined, to: undefined })
      return
    }
    const parts = inner.split(',')
    if (parts.length > 1) {
      this.#steps.push({ kind: 'union', paths: parts.map((part) => parsePath(`[${part.trim()}]`, this.#nesting + 1)) })
      return
    }
    const key = /^'([^']*)'$/.exec(inner)
    if (key !== null) this.#steps.push(...parsePath(`.${key[1]}`, this.#nesting + 1))
    else this.#slice(inner)
  }

  #slice(inner: string): void {
    const match = /^(-?[0-9]{0,15})(:-?[0-9]{0,15})?(:-?[0-9]{0,15})?$/.exec(inner)
    if (match === null) throw new JsonPathError(`invalid array index ${inner}`)
    const [, first = '', second] = match
    if (first === '-' || second === ':-') throw new JsonPathError(`array index ${first} is not a number`)
    const from = first === '' ? undefined : Number(first)
    if (second === undefined) this.#steps.push({ kind: 'slice', from: from ?? 0, to: from === -1 ? undefined : (from ?? 0) + 1 })
    else this.#steps.push({ kind: 'slice', from, to: second === ':' ? undefined : Number(second.slice(1)) })
  }

  #filter(): void {
    this.#at += 3
    const start = this.#at
    let quote = ''
    let closed = false
    for (; ; this.#at++) {
      const c = this.#text[this.#at]
      if (c === undefined || c === '\n') throw new JsonPathError('unterminated filter')
      if (quote === '' && (c === '"' || c === "'")) quote = c
      else if (c === quote && this.#text[this.#at - 1] !== '\\') closed = true
      else if (c === ')' && (quote === '') === !closed) break
    }
    const inner = this.#text.slice(start, this.#at++)
    if (this.#text[this.#at++] !== ']') throw new JsonPathError('unclosed array expect ]')
    const comparison = /^([^!<>=]+)([!<>=]+)(.+)$/s.exec(inner)
    const path = (text: string) => parsePath(text, this.#nesting + 1)
    if (comparison === null) this.#steps.push({ kind: 'filter', left: path(inner), operator: 'exists', right: [] })
    else
      this.#steps.push({ kind: 'filter', left: path(comparison[1] ?? ''), operator: comparison[2] ?? '', right: path(comparison[3] ?? '') })
  }
}

const unquoted = (text: string): string => text.replace(/\\(.)/g, (_, c: string) => ({ n: '\n', t: '\t', r: '\r' })[c] ?? c)
