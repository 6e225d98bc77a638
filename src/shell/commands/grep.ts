import { type Matcher, RE2JS } from 're2js'
import { resolvePath } from '../paths.ts'
import type { Input, Process, Program } from '../processes/process.ts'
import { readLine, writeText } from '../texts.ts'
import { type CommandLine, readCommandLine, readCount } from './command-line.ts'
import { compileExpression, extendedExpression, matcherOf, matchWork } from './expressions.ts'
import { eachInput } from './inputs.ts'

/** The expression that is looked for; several lines are several expressions. */
function wanted(line: CommandLine, called: string, words: string[]): RE2JS {
  const given = line.value('e') === undefined ? (words.shift() ?? '') : line.values('e').join('\n')
  const fixed = line.has('F') || called === 'fgrep'
  const extended = line.has('E') || called === 'egrep'
  const source = given
    .split('\n')
    .map((one) => (fixed ? RE2JS.quote(one) : `(?:${extendedExpression(one, extended)})`))
    .join('|')
  return compileExpression(line.has('x') ? `^(?:${source})$` : line.has('w') ? `\\b(?:${source})\\b` : source, true, line.has('i'))
}

/** All files below folders. */
async function below(process: Process, names: readonly string[]): Promise<string[]> {
  const found: string[] = []
  const look = async (name: string): Promise<void> => {
    const at = resolvePath(process.directory, name)
    if ((await process.files.status(at))?.kind !== 'directory') return void found.push(name)
    for (const child of await process.files.list(at)) await look(name === '.' ? child : `${name.replace(/\/$/, '')}/${child}`)
  }
  for (const name of names) await look(name)
  return found
}

/** The output options of `grep`. */
interface GrepOptions {
  readonly line: CommandLine
  readonly expression: RE2JS
  /** Each line has the name of its file before it. */
  readonly prefixed: boolean
  readonly most: number
  readonly before: number
  readonly after: number
}

/** `grep [-EFivnclLoqrhHwxs] [-m COUNT] [-ABC COUNT] EXPRESSION [FILE…]` */
export const grep: Program = async (process) => {
  const [called = 'grep', ...args] = process.argv
  const line = readCommandLine(
    args.map((arg) => arg.replace(/^-(\d+)$/, '-C$1')),
    'EFGHLPchilnoqrRsvwx',
    'emABC',
  )
  const words = [...line.words]
  const expression = wanted(line, called, words)
  const recursive = line.has('r') || line.has('R')
  const files = recursive ? await below(process, words.length === 0 ? ['.'] : words) : words
  const context = (side: string) => readCount(line.value(side) ?? line.value('C') ?? '0')
  const options: GrepOptions = {
    line,
    expression,
    prefixed: (files.length > 1 || recursive || line.has('H')) && !line.has('h'),
    most: readCount(line.value('m') ?? '999999999'),
    before: context('B'),
    after: context('A'),
  }
  const quiet = line.has('s') ? { ...process, stderr: { write: async () => {}, end: async () => {} } } : process
  let matched = false
  const broken = await eachInput(quiet, files, async (input, name) => {
    if (await new Search(process, options, name === '-' ? '(standard input)' : name).run(input)) matched = true
  })
  if (matched && line.has('q')) return 0
  return broken !== 0 ? 2 : Number(!matched)
}

/** The lines of one file: which of them are printed, and how. */
class Search {
  readonly #process: Process
  readonly #options: GrepOptions
  readonly #name: string
  /** Lines before the next match, as many as may be shown with it. */
  readonly #kept: string[] = []
  #number = 0
  #found = 0
  /** How many lines after the last match are still to be shown. */
  #owed = 0
  #lastShown = 0

  constructor(process: Process, options: GrepOptions, name: string) {
    this.#process = process
    this.#options = options
    this.#name = name
  }

  /** Resolves with whether a line was found. */
  async run(input: Input): Promise<boolean> {
    const { line, prefixed } = this.#options
    const signal = this.#process.signal
    for (let next = await readLine(input, signal); next !== undefined && !this.#isDone; next = await readLine(input, signal))
      await this.#look(next.line)
    if (line.has('q')) return this.#found > 0
    if (line.has('c')) await this.#print(`${prefixed ? `${this.#name}:` : ''}${this.#found}`)
    if (line.has('l') && this.#found > 0) await this.#print(this.#name)
    if (line.has('L') && this.#found === 0) await this.#print(this.#name)
    return this.#found > 0
  }

  get #isDone(): boolean {
    const { line, most } = this.#options
    if (this.#found > 0 && (line.has('q') || line.has('l') || line.has('L'))) return true
    return this.#found >= most && this.#owed <= 0
  }

  async #look(text: string): Promise<void> {
    const { line, expression, before, after, most } = this.#options
    this.#number++
    await this.#process.pacer.spend(matchWork(expression, text), this.#process.signal)
    const matcher = matcherOf(expression, text)
    const fits = matcher.find() !== line.has('v') && this.#found < most
    if (!fits) return this.#passOver(text, before)
    this.#found++
    if (['q', 'c', 'l', 'L'].some((letter) => line.has(letter))) return
    for (const [i, early] of this.#kept.entries()) await this.#show(early, this.#number - this.#kept.length + i, '-')
    this.#kept.length = 0
    this.#owed = after
    if (!line.has('o')) return this.#show(text, this.#number, ':')
    if (!line.has('v')) await this.#showMatches(matcher)
  }

  async #passOver(text: string, before: number): Promise<void> {
    if (this.#owed-- > 0) return this.#show(text, this.#number, '-')
    this.#kept.push(text)
    if (this.#kept.length > before) this.#kept.shift()
  }

  async #showMatches(matcher: Matcher): Promise<void> {
    do {
      const match = matcher.group() ?? ''
      if (match !== '') await this.#show(match, this.#number, ':')
    } while (matcher.find())
  }

  async #show(text: string, number: number, sign: ':' | '-'): Promise<void> {
    const { line, prefixed, before, after } = this.#options
    const gap = this.#lastShown > 0 && number > this.#lastShown + 1 && before + after > 0 ? '--\n' : ''
    this.#lastShown = number
    await this.#print(`${gap}${prefixed ? `${this.#name}${sign}` : ''}${line.has('n') ? `${number}${sign}` : ''}${text}`)
  }

  #print(text: string): Promise<void> {
    return writeText(this.#process.stdout, `${text}\n`)
  }
}
