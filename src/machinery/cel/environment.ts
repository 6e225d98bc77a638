import type { Expr } from './ast.ts'
import type { ArgumentEstimate, Range } from './cost.ts'
import type { Issue } from './issues.ts'
import type { Macro } from './macros.ts'
import type { CelType } from './types.ts'
import type { Value } from './values.ts'

/** One overload of a function. */
export interface Overload {
  readonly id: string
  readonly member: boolean
  readonly params: readonly CelType[]
  readonly result: CelType
  /** What the arguments must be when it runs, if that is less than `params`. */
  readonly paramsAtRunTime?: readonly CelType[]
  /** Called with the arguments (the target of a member call first); throws `CelError`. */
  readonly impl: (...args: Value[]) => Value
}

/** A variable of the program. */
export interface Variable {
  readonly name: string
  readonly type: CelType
}

/** The cost of a function. Arguments include the target first; `overload` is the id of the overload. */
export interface FunctionCost {
  /** Before evaluation: the cost of a call, and the size of its result. Undefined means the default: 1. */
  readonly estimate?: (args: readonly ArgumentEstimate[], overload: string) => CallEstimate | undefined
  /** During evaluation: the cost of this call. */
  readonly actual?: (args: readonly Value[], result: Value, overload: string) => number
  /** `actual` does not read the result and is charged before the call, for functions that may take long. */
  readonly early?: boolean
}

export interface CallEstimate {
  readonly cost: Range
  readonly size?: Range
}

export interface LiteralCheck {
  /** The index of the argument that is checked, if it is a string literal. */
  readonly arg: number
  readonly check: (literal: string) => boolean
  /** Whether an integer will do, where it is checked. */
  readonly checkInt?: (literal: bigint) => boolean
  /** The message at the literal if the check fails. A check may also throw `CelError`: then the program does not compile. */
  readonly complaint: string
}

/** What is wrong with a call whose types are known. */
export type CallCheck = (call: Expr & { readonly kind: 'call' }, types: ReadonlyMap<Expr, CelType>) => Issue | undefined

/** Functions, macros and constants that belong together. */
export interface Library {
  readonly macros?: readonly Macro[]
  readonly functions?: Readonly<Record<string, readonly Overload[]>>
  readonly costs?: Readonly<Record<string, FunctionCost>>
  /** Constants: types, enumeration values. */
  readonly constants?: Readonly<Record<string, { readonly type: CelType; readonly value: Value }>>
  /** Checks literal arguments of functions when the program is compiled, by the function's name. */
  readonly literalChecks?: Readonly<Record<string, LiteralCheck>>
  /** Checks calls when the program is compiled, by the function's name. */
  readonly callChecks?: Readonly<Record<string, CallCheck>>
  /** The type that `Name{…}` constructs, if it exists. */
  readonly message?: (name: string) => ObjectConstructor | undefined
  /** Elements of a list literal, and keys and values of a map literal, must have one type. */
  readonly sameTypes?: boolean
  /** Functions that are evaluated at compile time if all arguments are literals; a failure is a compile error. */
  readonly folded?: readonly string[]
}

/** The environment that programs are compiled in. */
export interface Environment {
  readonly macros: readonly Macro[]
  readonly functions: ReadonlyMap<string, readonly Overload[]>
  readonly costs: ReadonlyMap<string, FunctionCost>
  readonly constants: ReadonlyMap<string, { readonly type: CelType; readonly value: Value }>
  readonly literalChecks: NonNullable<Library['literalChecks']>
  readonly callChecks: NonNullable<Library['callChecks']>
  readonly sameTypes: boolean
  readonly folded: ReadonlySet<string>
  readonly container: string
  /** The type that `Name{…}` constructs, if it exists. */
  readonly object: (name: string) => ObjectConstructor | undefined
}

/** Constructs structures of one type. */
export interface ObjectConstructor {
  readonly type: CelType & { readonly kind: 'object' }
  /** The type of the value, if it is another. */
  readonly result?: CelType
  readonly make: (fields: ReadonlyMap<string, Value>) => Value
}

/** Combines libraries; a function that two declare has the overloads of both. */
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
    callChecks: Object.assign({}, ...libraries.map((l) => l.callChecks ?? {})),
    sameTypes: libraries.some((l) => l.sameTypes),
    folded: new Set(libraries.flatMap((l) => l.folded ?? [])),
    container: options.container ?? '',
    object: (name) => options.object?.(name) ?? libraries.map((l) => l.message?.(name)).find((found) => found !== undefined),
  }
}
