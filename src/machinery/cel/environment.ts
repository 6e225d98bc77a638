import type { ArgumentEstimate, Range } from './cost.ts'
import type { Macro } from './macros.ts'
import type { CelType } from './types.ts'
import type { Value } from './values.ts'

/** One way to call a function. */
export interface Overload {
  readonly id: string
  readonly member: boolean
  readonly params: readonly CelType[]
  readonly result: CelType
  /** Called with the arguments (the target of a member call first); throws `CelError`. */
  readonly impl: (...args: Value[]) => Value
}

/** A variable of the program. */
export interface Variable {
  readonly name: string
  readonly type: CelType
}

/** What a library knows of the cost of its functions. Arguments have the target first; `overload` is the id of the overload. */
export interface FunctionCost {
  /** Before running: what a call costs, and the size of its result. Undefined leaves it to the default: 1. */
  readonly estimate?: (args: readonly ArgumentEstimate[], overload: string) => CallEstimate | undefined
  /** While running: what this call has cost. */
  readonly actual?: (args: readonly Value[], result: Value, overload: string) => number
  /** `actual` does not look at the result, and is charged before the call: for what can take long. */
  readonly early?: boolean
}

export interface CallEstimate {
  readonly cost: Range
  readonly size?: Range
}

export interface LiteralCheck {
  /** Which argument is looked at, when it is a literal text. */
  readonly arg: number
  readonly check: (literal: string) => boolean
  /** What is told at the literal when the check fails. A check may also throw `CelError`: then there is no program. */
  readonly complaint: string
}

/** Functions, macros and names that go together. */
export interface Library {
  readonly macros?: readonly Macro[]
  readonly functions?: Readonly<Record<string, readonly Overload[]>>
  readonly costs?: Readonly<Record<string, FunctionCost>>
  /** Names with a value of their own: types, enumerations. */
  readonly constants?: Readonly<Record<string, { readonly type: CelType; readonly value: Value }>>
  /** Checks literal arguments of functions when the program is compiled, by the function's name. */
  readonly literalChecks?: Readonly<Record<string, LiteralCheck>>
  /** Functions of literals that are called once, when the program is made; when one fails there is no program. */
  readonly folded?: readonly string[]
}

/** What programs are compiled against. */
export interface Environment {
  readonly macros: readonly Macro[]
  readonly functions: ReadonlyMap<string, readonly Overload[]>
  readonly costs: ReadonlyMap<string, FunctionCost>
  readonly constants: ReadonlyMap<string, { readonly type: CelType; readonly value: Value }>
  readonly literalChecks: NonNullable<Library['literalChecks']>
  readonly folded: ReadonlySet<string>
  readonly container: string
  /** The type that `Name{…}` makes, if there is one of that name. */
  readonly object: (name: string) => ObjectConstructor | undefined
}

/** Makes structures of one type. */
export interface ObjectConstructor {
  readonly type: CelType & { readonly kind: 'object' }
  readonly make: (fields: ReadonlyMap<string, Value>) => Value
}

/** Puts libraries together; where two declare a function, it has the overloads of both. */
export function createEnvironment(
  libraries: readonly Library[],
  options: { readonly container?: string; readonly object?: Environment['object'] } = {},
): Environment {
  const functions = new Map<string, readonly Overload[]>()
  for (const lib of libraries) {
    for (const [name, overloads] of Object.entries(lib.functions ?? {})) functions.set(name, [...(functions.get(name) ?? []), ...overloads])
  }
  return {
    macros: libraries.flatMap((l) => l.macros ?? []),
    functions,
    costs: new Map(libraries.flatMap((l) => Object.entries(l.costs ?? {}))),
    constants: new Map(libraries.flatMap((l) => Object.entries(l.constants ?? {}))),
    literalChecks: Object.assign({}, ...libraries.map((l) => l.literalChecks ?? {})),
    folded: new Set(libraries.flatMap((l) => l.folded ?? [])),
    container: options.container ?? '',
    object: options.object ?? (() => undefined),
  }
}
