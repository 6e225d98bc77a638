import { Given, num, text, UNSET, type Value } from './values.ts'

/** An array: keys are texts, as they were first put there. */
export type Cells = Map<string, Value>

/** Functions in functions. */
const DEEPEST = 200
export const MOST_CELLS = 1_000_000

/** The local variables of a function call. */
interface Own {
  readonly values: Map<string, Value>
  readonly arrays: Map<string, Cells>
}

/** The variables and arrays of a program: the global ones, and those of the running function. */
export class Variables {
  readonly #values = new Map<string, Value>([
    ['FS', ' '],
    ['OFS', ' '],
    ['ORS', '\n'],
    ['NR', 0],
    ['FNR', 0],
    ['SUBSEP', '\x1c'],
    ['RSTART', 0],
    ['RLENGTH', -1],
    ['FILENAME', ''],
  ])
  readonly #arrays = new Map<string, Cells>()
  readonly #functions: Own[] = []

  constructor(environment: Readonly<Record<string, string>>) {
    this.#arrays.set('ENVIRON', new Map(Object.entries(environment).map(([n, v]) => [n, new Given(v)])))
  }

  get(name: string): Value {
    return this.#own(name)?.values.get(name) ?? this.#values.get(name) ?? UNSET
  }

  set(name: string, value: Value): void {
    const home = this.#own(name)?.values ?? this.#values
    home.set(name, value)
  }

  /** The global variable, also if the running function has a local one of this name. */
  text(name: string): string {
    return text(this.#values.get(name) ?? UNSET)
  }

  number(name: string): number {
    return num(this.#values.get(name) ?? UNSET)
  }

  /** Whether a name is that of a parameter of the function that runs. */
  isOwn(name: string): boolean {
    return this.#own(name) !== undefined
  }

  /** The array of a name, made where there is none. */
  array(name: string): Cells {
    const known = this.arrayIfAny(name)
    if (known !== undefined) return known
    const made: Cells = new Map()
    const home = this.#own(name)?.arrays ?? this.#arrays
    home.set(name, made)
    return made
  }

  arrayIfAny(name: string): Cells | undefined {
    const own = this.#own(name)
    return own === undefined ? this.#arrays.get(name) : own.arrays.get(name)
  }

  /** While `run` runs, these are the variables of a function. */
  async within<T>(own: Own, run: () => Promise<T>): Promise<T> {
    if (this.#functions.length >= DEEPEST) throw new Error('functions call each other too deep')
    this.#functions.push(own)
    try {
      return await run()
    } finally {
      this.#functions.pop()
    }
  }

  #own(name: string): Own | undefined {
    const own = this.#functions.at(-1)
    return own?.values.has(name) ? own : undefined
  }
}
