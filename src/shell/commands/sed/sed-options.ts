/** Where a script comes from. */
export type ScriptSource = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'file'; readonly name: string }

export interface SedOptions {
  readonly quiet: boolean
  readonly extended: boolean
  /** The suffix for copies of the files as they were; undefined: the files stay, and the result is printed. */
  readonly inPlace: string | undefined
  /** Each file is a stream of its own: lines are counted from 1, and each has a last one. */
  readonly separate: boolean
  readonly scripts: readonly ScriptSource[]
  readonly files: readonly string[]
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

/** Parses options by hand: the letters of one word may be joined, and `-i` takes the rest of its word as a suffix. */
class OptionReader {
  readonly #rest: string[]
  readonly #letters = new Set<string>()
  readonly #scripts: ScriptSource[] = []
  readonly #files: string[] = []
  #inPlace: string | undefined

  constructor(args: readonly string[]) {
    this.#rest = [...args]
  }

  read(): SedOptions {
    for (let word = this.#rest.shift(); word !== undefined; word = this.#rest.shift()) this.#word(word)
    if (this.#scripts.length === 0) this.#scripts.push({ kind: 'text', text: this.#files.shift() ?? '' })
    return {
      quiet: this.#letters.has('n'),
      extended: this.#letters.has('E') || this.#letters.has('r'),
      inPlace: this.#inPlace,
      separate: this.#letters.has('s') || this.#inPlace !== undefined,
      scripts: this.#scripts,
      files: this.#files,
    }
  }

  #word(word: string): void {
    if (word === '--') this.#files.push(...this.#rest.splice(0))
    else if (word.startsWith('--')) this.#long(word)
    else if (!word.startsWith('-') || word === '-') this.#files.push(word)
    else for (let i = 1; i < word.length && !this.#option(word, word[i] ?? '', word.slice(i + 1)); i++);
  }

  #long(word: string): void {
    const [name = '', ...value] = word.slice(2).split('=')
    const letter = Object.hasOwn(LONG, name) ? LONG[name] : undefined
    this.#option(word, letter ?? '?', value.join('='))
  }

  /** True when the option has taken what follows in its word. */
  #option(word: string, letter: string, attached: string): boolean {
    switch (letter) {
      case 'i':
        this.#inPlace = attached
        return true
      case 'e':
        this.#scripts.push({ kind: 'text', text: attached || (this.#rest.shift() ?? '') })
        return true
      case 'f':
        this.#scripts.push({ kind: 'file', name: attached || (this.#rest.shift() ?? '') })
        return true
      default:
        if (!'nErsu'.includes(letter)) throw new Error(`unrecognized option: ${word}`)
        this.#letters.add(letter)
        return false
    }
  }
}

/** @throws {Error} for an option that is not known */
export function readSedOptions(args: readonly string[]): SedOptions {
  return new OptionReader(args).read()
}
