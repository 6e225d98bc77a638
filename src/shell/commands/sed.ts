import type { RE2JS } from 're2js'
import { resolvePath } from '../paths.ts'
import type { Program } from '../processes/process.ts'
import { collectBytes, writeText } from '../texts.ts'
import { compileExpression } from './expressions.ts'
import { eachInput } from './inputs.ts'

/** Which lines: a number, the last, those that match, or from one to another. */
type Address =
  | { readonly kind: 'line'; readonly number: number }
  | { readonly kind: 'last' }
  | { readonly kind: 'match'; readonly expression: RE2JS }

interface Edit {
  readonly from?: Address
  readonly to?: Address
  readonly negated: boolean
  readonly action: Action
}

interface Substitution {
  readonly kind: 'substitute'
  readonly expression: RE2JS
  readonly replacement: string
  readonly all: boolean
  readonly print: boolean
}

type Action =
  | Substitution
  | { readonly kind: 'delete' | 'print' | 'quit' }
  | { readonly kind: 'append' | 'insert' | 'change'; readonly text: string }

const MOST_HELD = 64 << 20

/**
 * `sed` with `s`, `d`, `p`, `q`, `a`, `i`, `c`, addresses and ranges, `-n`, `-e`, `-f`, `-E`, `-i`. Expressions take linear time (RE2).
 * Its basic expressions are read as extended ones but for `\(`, `\)`, `\+`, `\?`, `\|`, which are turned around.
 */
export const sed: Program = async (process) => {
  const { quiet, extended, inPlace, scripts, files } = readWords(process.argv.slice(1))
  const edits: Edit[] = []
  for (const script of scripts) {
    const text = script.kind === 'text' ? script.text : Buffer.from(await process.files.read(resolvePath(process.directory, script.name)))
    edits.push(...parseScript(text.toString(), extended))
  }
  return eachInput(process, files, async (input, name) => {
    const text = new TextDecoder().decode(await collectBytes(input, MOST_HELD, process.signal))
    const edited = apply(edits, text === '' ? [] : text.replace(/\n$/, '').split('\n'), quiet)
    const out = edited.length === 0 ? '' : `${edited.join('\n')}\n`
    if (inPlace === undefined) return writeText(process.stdout, out)
    const file = resolvePath(process.directory, name)
    if (inPlace !== '') await process.files.write(`${file}${inPlace}`, new TextEncoder().encode(text))
    await process.files.write(file, new TextEncoder().encode(out))
  })
}

interface Words {
  quiet: boolean
  extended: boolean
  /** What is put behind the names of the files as they were; undefined: the files stay, and what comes of them is printed. */
  inPlace: string | undefined
  readonly scripts: ({ readonly kind: 'text'; readonly text: string } | { readonly kind: 'file'; readonly name: string })[]
  readonly files: string[]
}

const LONG: Readonly<Record<string, string>> = {
  quiet: 'n',
  silent: 'n',
  'regexp-extended': 'E',
  'in-place': 'i',
  expression: 'e',
  file: 'f',
  separate: 's',
  unbuffered: 'u',
}

/** Letters may stand in one word; `-i` takes the rest of its word. @throws {Error} for an option that it does not know */
function readWords(args: readonly string[]): Words {
  const rest = [...args]
  const words: Words = { quiet: false, extended: false, inPlace: undefined, scripts: [], files: [] }
  const letters = (word: string, text: string, attached: string | undefined) => {
    for (let i = 0; i < text.length; i++) {
      const letter = text[i]
      const after = attached ?? text.slice(i + 1)
      if (letter === 'n') words.quiet = true
      else if (letter === 'E' || letter === 'r') words.extended = true
      else if (letter === 'i') words.inPlace = after
      else if (letter === 'e') words.scripts.push({ kind: 'text', text: after || (rest.shift() ?? '') })
      else if (letter === 'f') words.scripts.push({ kind: 'file', name: after || (rest.shift() ?? '') })
      else if (letter !== 's' && letter !== 'u') throw new Error(`unrecognized option: ${word}`)
      if (letter === 'i' || letter === 'e' || letter === 'f') return
    }
  }
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') words.files.push(...rest.splice(0))
    else if (word.startsWith('--')) {
      const [name = '', ...value] = word.slice(2).split('=')
      letters(
        word,
        (Object.hasOwn(LONG, name) && LONG[name]) || '?',
        value.length > 0 ? value.join('=') : name === 'in-place' ? '' : undefined,
      )
    } else if (word.startsWith('-') && word !== '-') letters(word, word.slice(1), undefined)
    else words.files.push(word)
  }
  if (words.scripts.length === 0) words.scripts.push({ kind: 'text', text: words.files.shift() ?? '' })
  return words
}

/** @throws {Error} for what it does not know */
function parseScript(script: string, extended: boolean): readonly Edit[] {
  const edits: Edit[] = []
  let rest = script
  const take = (pattern: RegExp) => {
    const found = rest.match(pattern)
    if (found !== null) rest = rest.slice(found[0].length)
    return found
  }
  const delimited = (delimiter: string) => {
    let text = ''
    while (rest !== '' && !rest.startsWith(delimiter)) {
      const length = rest.startsWith('\\') ? 2 : 1
      text += rest.startsWith(`\\${delimiter}`) ? delimiter : rest.slice(0, length)
      rest = rest.slice(length)
    }
    if (rest === '') throw new Error(`bad command: ${script}`)
    rest = rest.slice(1)
    return text
  }
  const address = (): Address | undefined => {
    const number = take(/^\d{1,9}/)
    if (number !== null) return { kind: 'line', number: Number(number[0]) }
    if (take(/^\$/) !== null) return { kind: 'last' }
    return take(/^\//) === null ? undefined : { kind: 'match', expression: compileExpression(delimited('/'), extended) }
  }
  for (take(/^[\s;]+/); rest !== ''; take(/^[\s;]+/)) {
    const from = address()
    const to = from !== undefined && take(/^\s*,\s*/) !== null ? address() : undefined
    const negated = take(/^\s*!/) !== null
    const letter = take(/^\s*([a-z])/)?.[1]
    const action = parseAction(letter, { take, delimited, extended, script })
    edits.push({ ...(from !== undefined && { from }), ...(to !== undefined && { to }), negated, action })
  }
  return edits
}

interface Reader {
  readonly take: (pattern: RegExp) => RegExpMatchArray | null
  readonly delimited: (delimiter: string) => string
  readonly extended: boolean
  readonly script: string
}

function parseAction(letter: string | undefined, { take, delimited, extended, script }: Reader): Action {
  switch (letter) {
    case 'd':
      return { kind: 'delete' }
    case 'p':
      return { kind: 'print' }
    case 'q':
      return { kind: 'quit' }
    case 'a':
    case 'i':
    case 'c':
      return { kind: ({ a: 'append', i: 'insert', c: 'change' } as const)[letter], text: take(/^\s*\\?\n?(.*)/)?.[1] ?? '' }
    case 's': {
      const delimiter = take(/^./s)?.[0] ?? ''
      const source = delimited(delimiter)
      const replacement = delimited(delimiter)
      const flags = take(/^[gpiI]*/)?.[0] ?? ''
      const expression = compileExpression(source, extended, /[iI]/.test(flags))
      return { kind: 'substitute', expression, replacement, all: flags.includes('g'), print: flags.includes('p') }
    }
    default:
      throw new Error(`unsupported command ${letter ?? ''} in: ${script}`)
  }
}

function apply(edits: readonly Edit[], all: readonly string[], quiet: boolean): readonly string[] {
  const out: string[] = []
  const inRange = new Set<Edit>()
  for (const [i, line] of all.entries()) {
    const last = i === all.length - 1
    const fits = (a: Address, text: string) =>
      a.kind === 'line' ? a.number === i + 1 : a.kind === 'last' ? last : a.expression.matcher(text).find()
    const after: string[] = []
    let text: string | undefined = line
    let quit = false
    for (const edit of edits) {
      if (text === undefined) break
      if (chosen(edit, text, fits, inRange, i + 1) === edit.negated) continue
      const { action } = edit
      switch (action.kind) {
        case 'delete':
          text = undefined
          break
        case 'change':
          out.push(action.text)
          text = undefined
          break
        case 'print':
          out.push(text)
          break
        case 'quit':
          quit = true
          break
        case 'append':
          after.push(action.text)
          break
        case 'insert':
          out.push(action.text)
          break
        case 'substitute': {
          const changed: string = substitute(action, text)
          if (action.print && changed !== text) out.push(changed)
          text = changed
        }
      }
    }
    if (text !== undefined && !quiet) out.push(text)
    out.push(...after)
    if (quit) break
  }
  return out
}

function chosen(edit: Edit, text: string, fits: (a: Address, text: string) => boolean, inRange: Set<Edit>, number: number): boolean {
  if (edit.from === undefined) return true
  if (edit.to === undefined) return fits(edit.from, text)
  if (inRange.has(edit)) {
    if (fits(edit.to, text) || (edit.to.kind === 'line' && edit.to.number < number)) inRange.delete(edit)
    return true
  }
  if (!fits(edit.from, text)) return false
  if (edit.to.kind !== 'line' || edit.to.number > number) inRange.add(edit)
  return true
}

function substitute({ expression, replacement, all }: Substitution, text: string): string {
  const matcher = expression.matcher(text)
  let out = ''
  let at = 0
  while (matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()]
    const groups = (n: number) => (n <= matcher.groupCount() ? (matcher.group(n) ?? '') : '')
    out +=
      text.slice(at, start) +
      replacement.replace(/\\(\d|n|.)|&/gs, (whole, c?: string) =>
        whole === '&' ? groups(0) : c === 'n' ? '\n' : /\d/.test(c ?? '') ? groups(Number(c)) : (c ?? ''),
      )
    at = end
    if (!all) break
  }
  return out + text.slice(at)
}
