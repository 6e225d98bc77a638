import type { Program } from '../processes/process.ts'
import { writeText } from '../texts.ts'
import { readCommandLine } from './command-line.ts'

const CLASSES: Readonly<Record<string, string>> = {
  upper: 'A-Z',
  lower: 'a-z',
  digit: '0-9',
  alpha: 'A-Za-z',
  alnum: 'A-Za-z0-9',
  space: ' \\t\\n\\r\\f\\v',
}
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', f: '\f', v: '\v' }

/** The characters of a set of `tr`: `a-z`, `[:upper:]`, `\n`. */
function readSet(text: string): readonly string[] {
  const plain = text
    .replace(/\[:(\w+):\]/g, (whole, name: string) => (Object.hasOwn(CLASSES, name) ? (CLASSES[name] ?? whole) : whole))
    .replace(/\\([0-7]{1,3}|[ntrfv\\])/g, (_, c: string) =>
      /\d/.test(c) ? String.fromCodePoint(Number.parseInt(c, 8)) : (ESCAPES[c] ?? '\\'),
    )
  return [...plain.replace(/([^-])-([^-])/gsu, (whole, a: string, b: string) => rangeOf(a, b) ?? whole)]
}

function rangeOf(a: string, b: string): string | undefined {
  const [from, to] = [a.codePointAt(0) ?? 0, b.codePointAt(0) ?? 0]
  if (to < from || to - from > 0xffff) return undefined
  return Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i)).join('')
}

/** What `tr` makes of each character, in one pass over pieces of a text. */
class Translation {
  readonly #from: ReadonlyMap<string, number>
  readonly #to: readonly string[]
  readonly #squeezed: ReadonlySet<string>
  readonly #complement: boolean
  readonly #delete: boolean
  readonly #squeeze: boolean
  #last = ''

  constructor(sets: readonly string[], { complement, remove, squeeze }: { complement: boolean; remove: boolean; squeeze: boolean }) {
    const [from = [], to = []] = sets.map(readSet)
    this.#from = new Map(from.map((c, i) => [c, i] as const))
    this.#to = remove ? [] : to
    this.#squeezed = new Set(to.length > 0 ? to : from)
    this.#complement = complement
    this.#delete = remove
    this.#squeeze = squeeze
  }

  translate(piece: string): string {
    const out: string[] = []
    for (const c of piece) {
      const changed = this.#change(c)
      if (changed === undefined || (this.#squeeze && changed === this.#last && this.#isSqueezed(changed))) continue
      out.push(changed)
      this.#last = changed
    }
    return out.join('')
  }

  /** Undefined: it is deleted. */
  #change(c: string): string | undefined {
    const index = this.#from.get(c)
    if ((index !== undefined) === this.#complement) return c
    if (this.#delete) return undefined
    const last = this.#to.length - 1
    return this.#to[Math.min(index ?? last, last)] ?? c
  }

  #isSqueezed(c: string): boolean {
    return this.#complement && this.#to.length === 0 && !this.#delete ? !this.#squeezed.has(c) : this.#squeezed.has(c)
  }
}

/** `tr [-c] [-d] [-s] SET [SET]` */
export const translate: Program = async (process) => {
  const line = readCommandLine(process.argv.slice(1), 'dsc')
  const options = { complement: line.has('c'), remove: line.has('d'), squeeze: line.has('s') }
  const translation = new Translation(line.words, options)
  const decoder = new TextDecoder()
  const { stdin, stdout, signal } = process
  for (let piece = await stdin.read(signal); piece !== undefined; piece = await stdin.read(signal))
    await writeText(stdout, translation.translate(decoder.decode(piece, { stream: true })))
  await writeText(stdout, translation.translate(decoder.decode()))
  return 0
}
