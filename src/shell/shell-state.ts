import type { CompoundCommand, CompoundList, Redirected } from 'unbash'

export interface Variable {
  readonly value: string
  readonly exported: boolean
  readonly readonly: boolean
  /** Of an array; `value` is its first. */
  readonly elements?: Elements
}

/** Undefined: the element is not set. */
export type Elements = readonly (string | undefined)[]

/** What one array may hold. */
const MOST_ELEMENTS = 100_000
/** As many characters as all variables of a shell may hold. */
const MOST_CHARACTERS = 32 << 20

const charactersOf = (elements: Elements): number => elements.reduce((sum, element) => sum + (element?.length ?? 0), 0)

export type FunctionBody = CompoundCommand | Redirected | CompoundList

/** `set -e` and the like, by letter; `pipefail` by name. */
export type ShellOption = 'e' | 'u' | 'x' | 'f' | 'a' | 'pipefail'

/** A shell's own word: `x: unbound variable`. */
export class ShellError extends Error {
  override readonly name = 'ShellError'
  readonly exitCode: number
  constructor(message: string, exitCode = 2) {
    super(message)
    this.exitCode = exitCode
  }
}

/** What a shell remembers between commands; a subshell begins with a copy. */
export class ShellState {
  readonly variables: Map<string, Variable>
  readonly functions: Map<string, FunctionBody>
  /** By signal or `EXIT`; an empty text: ignored. */
  readonly traps: Map<string, string>
  readonly options: Set<ShellOption>
  /** What `local` hid in the functions that run, innermost last. */
  readonly hidden: Map<string, Variable | undefined>[] = []
  /** `$0`. */
  readonly name: string
  /** `$1` and so on. */
  positional: readonly string[]
  directory: string
  /** `$?`. */
  status = 0
  /** `$!`. */
  lastBackground: number | undefined
  /** `$$`: of the first shell, also in subshells. */
  readonly pid: number
  /** What variables may hold at most: what they held when it was last counted, and all that was given to them since. */
  #added = 0

  constructor(from: {
    name: string
    positional: readonly string[]
    directory: string
    pid: number
    variables: Iterable<[string, Variable]>
  }) {
    this.name = from.name
    this.positional = from.positional
    this.directory = from.directory
    this.pid = from.pid
    this.variables = new Map(from.variables)
    for (const { value, elements } of this.variables.values()) this.#added += elements === undefined ? value.length : charactersOf(elements)
    this.functions = new Map()
    this.traps = new Map()
    this.options = new Set()
  }

  /** For a subshell, whose changes do not affect this shell. Of its traps it inherits only ignored signals. */
  fork(): ShellState {
    const copy = new ShellState(this)
    for (const [name, body] of this.functions) copy.functions.set(name, body)
    for (const [signal, action] of this.traps) if (action === '') copy.traps.set(signal, action)
    for (const option of this.options) copy.options.add(option)
    copy.hidden.push(...this.hidden.map((scope) => new Map(scope)))
    copy.status = this.status
    copy.lastBackground = this.lastBackground
    return copy
  }

  get(name: string): string | undefined {
    return this.variables.get(name)?.value
  }

  /** @throws {ShellError} when it is read-only */
  set(name: string, value: string, change: { readonly exported?: boolean; readonly readonly?: boolean } = {}): void {
    const known = this.variables.get(name)
    if (known?.readonly === true) throw new ShellError(`${name}: is read only`)
    this.#hold(name, value.length)
    this.variables.set(name, {
      value,
      exported: change.exported ?? known?.exported ?? this.options.has('a'),
      readonly: change.readonly ?? false,
    })
  }

  /** Reserves memory for a variable. Characters are counted anew only when the growth since the last count would exceed the limit. */
  #hold(name: string, characters: number): void {
    this.#added += characters
    if (this.#added <= MOST_CHARACTERS) return
    let held = characters
    for (const [other, { value, elements }] of this.variables)
      if (other !== name) held += elements === undefined ? value.length : charactersOf(elements)
    if (held > MOST_CHARACTERS) throw new ShellError('out of space')
    this.#added = held
  }

  /** What an array holds; a variable is an array of one. */
  elements(name: string): Elements {
    const known = this.variables.get(name)
    return known === undefined ? [] : (known.elements ?? [known.value])
  }

  /** @throws {ShellError} when it is read-only, or holds too much */
  setElements(name: string, elements: Elements): void {
    const known = this.variables.get(name)
    if (known?.readonly === true) throw new ShellError(`${name}: is read only`)
    if (elements.length > MOST_ELEMENTS) throw new ShellError(`${name}: too many elements`)
    this.#hold(name, charactersOf(elements))
    this.variables.set(name, { value: elements[0] ?? '', exported: false, readonly: false, elements })
  }

  /** @throws {ShellError} if the variable is read-only, or the index is invalid */
  setElement(name: string, index: number, value: string): void {
    if (!Number.isInteger(index) || index < 0 || index > MOST_ELEMENTS) throw new ShellError(`${name}[${index}]: bad array subscript`)
    const elements = [...this.elements(name)]
    while (elements.length < index) elements.push(undefined)
    elements[index] = value
    this.setElements(name, elements)
  }

  /** @throws {ShellError} when it is read-only */
  unset(name: string): void {
    if (this.variables.get(name)?.readonly === true) throw new ShellError(`${name}: is read only`)
    this.variables.delete(name)
  }

  /** What commands find in their environment. */
  environment(more: Iterable<readonly [string, string]> = []): Record<string, string> {
    const all: Record<string, string> = Object.create(null)
    for (const [name, { value, exported }] of this.variables) if (exported) all[name] = value
    for (const [name, value] of more) all[name] = value
    return all
  }
}
