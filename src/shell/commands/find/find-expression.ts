import path from 'node:path'
import type { Later } from '../../../base/steps.ts'
import type { FileStatus, Process } from '../../processes/process.ts'
import { runProgram } from '../../processes/run-program.ts'
import { writeText } from '../../texts.ts'
import { compilePattern } from '../../words/pattern.ts'

/** A file as it was found. */
export interface FoundFile {
  /** As it is printed: below the path that was named. */
  readonly name: string
  readonly path: string
  readonly status: FileStatus | undefined
  readonly link: boolean
}

type Test = (found: FoundFile) => Later<boolean>

export interface FindExpression {
  readonly test: Test
  readonly leastDepth: number
  readonly mostDepth: number
  /** What is in a folder comes before the folder. */
  readonly contentsFirst: boolean
  /** Runs what was put off to the end: `-exec … +`. */
  readonly finish: () => Promise<void>
}

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const KINDS: Readonly<Record<FileStatus['kind'], string>> = { directory: 'd', file: 'f', device: 'c', link: 'l' }
const UNIT_BYTES: Readonly<Record<string, number>> = { c: 1, k: 1024, M: 1 << 20, G: 1 << 30 }
const BLOCK_BYTES = 512

/** @throws {Error} for a word that is not supported */
export function parseFindExpression(words: readonly string[], process: Process): FindExpression {
  return new FindParser(words, process).expression()
}

/** `+3`, `-3`, `3`. */
function comparison(text: string): (n: number) => boolean {
  const count = Number(text.replace(/^[-+]/, ''))
  if (!Number.isFinite(count)) throw new Error(`invalid number '${text}'`)
  if (text.startsWith('+')) return (n) => n > count
  return text.startsWith('-') ? (n) => n < count : (n) => n === count
}

class FindParser {
  readonly #rest: string[]
  readonly #process: Process
  readonly #finishers: (() => Promise<unknown>)[] = []
  #leastDepth = 0
  #mostDepth = Number.POSITIVE_INFINITY
  #contentsFirst = false
  /** There is an action: what is found is not printed by itself. */
  #acts = false

  constructor(words: readonly string[], process: Process) {
    this.#rest = [...words]
    this.#process = process
  }

  expression(): FindExpression {
    const chosen: Test = this.#rest.length === 0 ? () => true : this.#either()
    if (this.#rest.length > 0) throw new Error(`unexpected: ${this.#rest[0]}`)
    const printed = this.#print('\n')
    return {
      test: this.#acts ? chosen : async (found) => (await chosen(found)) && printed(found),
      leastDepth: this.#leastDepth,
      mostDepth: this.#mostDepth,
      contentsFirst: this.#contentsFirst,
      finish: async () => {
        for (const finish of this.#finishers) await finish()
      },
    }
  }

  #either(): Test {
    const tests = [this.#both()]
    while (this.#take('-o', '-or')) tests.push(this.#both())
    return async (found) => {
      for (const test of tests) if (await test(found)) return true
      return false
    }
  }

  #both(): Test {
    const tests = [this.#primary()]
    while (this.#rest.length > 0 && !['-o', '-or', ')'].includes(this.#rest[0] ?? '')) {
      this.#take('-a', '-and')
      tests.push(this.#primary())
    }
    return async (found) => {
      for (const test of tests) if (!(await test(found))) return false
      return true
    }
  }

  #primary(): Test {
    const word = this.#value()
    switch (word) {
      case '!':
      case '-not':
        return this.#negated()
      case '(':
        return this.#grouped()
      case '-maxdepth':
        this.#mostDepth = Number(this.#value())
        return () => true
      case '-mindepth':
        this.#leastDepth = Number(this.#value())
        return () => true
      case '-depth':
        this.#contentsFirst = true
        return () => true
      default:
        return this.#fileTest(word) ?? this.#action(word)
    }
  }

  #negated(): Test {
    const inner = this.#primary()
    return async (found) => !(await inner(found))
  }

  #grouped(): Test {
    const inner = this.#either()
    if (!this.#take(')')) throw new Error('unmatched (')
    return inner
  }

  /** Undefined: the word is no test. */
  #fileTest(word: string): Test | undefined {
    switch (word) {
      case '-name':
        return this.#pattern((found) => path.posix.basename(found.path))
      case '-iname':
        return this.#pattern((found) => path.posix.basename(found.path), true)
      case '-path':
      case '-wholename':
        return this.#pattern(({ name }) => name)
      case '-type':
        return this.#kind(this.#value())
      case '-empty':
        return (found) => this.#isEmpty(found)
      case '-size':
        return this.#size(this.#value())
      case '-mtime':
        return this.#age(DAY_MS)
      case '-mmin':
        return this.#age(MINUTE_MS)
      case '-perm':
        return this.#mode(this.#value())
      default:
        return undefined
    }
  }

  #pattern(of: (found: FoundFile) => string, ignoreCase = false): Test {
    const folded = (text: string) => (ignoreCase ? text.toLowerCase() : text)
    const pattern = compilePattern([{ text: folded(this.#value()), quoted: false }])
    return (found) => pattern.matches(folded(of(found)))
  }

  #kind(letters: string): Test {
    return ({ status, link }) => letters.includes(link ? 'l' : KINDS[status?.kind ?? 'file'])
  }

  async #isEmpty({ status, path: at }: FoundFile): Promise<boolean> {
    return status?.kind === 'directory' ? (await this.#process.files.list(at)).length === 0 : status?.sizeBytes === 0
  }

  #size(text: string): Test {
    const unit = UNIT_BYTES[text.at(-1) ?? ''] ?? BLOCK_BYTES
    const fits = comparison(text.replace(/[ckMG]$/, ''))
    return ({ status }) => fits(Math.ceil((status?.sizeBytes ?? 0) / unit))
  }

  #age(unitMs: number): Test {
    const fits = comparison(this.#value())
    return ({ status }) => fits(Math.floor((this.#process.clock.now() - (status?.modifiedAtMs ?? 0)) / unitMs))
  }

  #mode(text: string): Test {
    const bits = Number.parseInt(text.replace(/^[-/]/, ''), 8)
    return ({ status }) => (text.startsWith('-') ? ((status?.mode ?? 0) & bits) === bits : ((status?.mode ?? 0) & 0o7777) === bits)
  }

  #action(word: string): Test {
    this.#acts = true
    switch (word) {
      case '-print':
        return this.#print('\n')
      case '-print0':
        return this.#print('\0')
      case '-delete':
        this.#contentsFirst = true
        return async (found) => {
          await this.#process.files.remove(found.path)
          return true
        }
      case '-exec':
        return this.#execute()
      default:
        throw new Error(`unrecognized: ${word}`)
    }
  }

  #print(end: string): Test {
    return async ({ name }) => {
      await writeText(this.#process.stdout, name + end)
      return true
    }
  }

  /** `-exec COMMAND {} \;` runs it for each file, `-exec COMMAND {} +` once for all of them. */
  #execute(): Test {
    const argv: string[] = []
    let next = this.#rest.shift()
    for (; next !== undefined && next !== ';' && !(next === '+' && argv.at(-1) === '{}'); next = this.#rest.shift()) argv.push(next)
    if (next === ';')
      return async ({ name }) =>
        (await runProgram(
          argv.map((arg) => arg.replaceAll('{}', () => name)),
          this.#process,
        )) === 0
    if (next === undefined) throw new Error("missing argument to '-exec'")
    const names: string[] = []
    this.#finishers.push(async () => names.length > 0 && runProgram([...argv.slice(0, -1), ...names], this.#process))
    return ({ name }) => names.push(name) > 0
  }

  #value(): string {
    return this.#rest.shift() ?? ''
  }

  #take(...words: readonly string[]): boolean {
    const found = words.includes(this.#rest[0] ?? '')
    if (found) this.#rest.shift()
    return found
  }
}
