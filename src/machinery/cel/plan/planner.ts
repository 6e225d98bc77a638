import { hasField, index, optionalSelect, select, selectThrough } from '../access.ts'
import type { Expr } from '../ast.ts'
import type { Checked } from '../checker.ts'
import { actualSize, COST } from '../cost.ts'
import type { Environment } from '../environment.ts'
import { exact, fits, NO_OVERLOAD, noOverload } from '../overload-choice.ts'
import { CelError, equals, isList, Optional, Uint, type Value } from '../values.ts'
import { type Code, charge, type Frame } from './code.ts'
import { Constants, isConstantCall } from './constants.ts'
import { listCode, mapCode, messageCode } from './construction.ts'
import { foldCode, localValue } from './fold.ts'

/** Most elements and characters of a result. Joining lists and formatting texts costs little, so results are limited, too. */
const MAX_LIST = 4_000_000
const MAX_TEXT = 64 * 1024 * 1024
const tooLarge = (what: string) => new CelError(`the resulting ${what} is too large`)

/** Compiles a checked expression into closures. */
export class Planner {
  readonly #env: Environment
  readonly #checked: Checked
  /** Names of loop variables, innermost last; their index is their position in `locals`. */
  #locals: readonly string[] = []
  readonly #planned = new Map<Expr, Code>()
  readonly #constants: Constants

  constructor(env: Environment, checked: Checked) {
    this.#env = env
    this.#checked = checked
    this.#constants = new Constants(env)
  }

  /** Macros use an argument twice, in the same scope: both uses share their code. */
  plan(e: Expr): Code {
    let code = this.#planned.get(e)
    if (code === undefined) {
      code = this.#plan(e)
      this.#planned.set(e, code)
    }
    return code
  }

  /** The number of loop variables in scope, which is the position of the next. */
  get depth(): number {
    return this.#locals.length
  }

  isConstant(e: Expr): boolean {
    return this.#constants.has(e)
  }

  /** Adds loop variables to the scope of what `plan` compiles. */
  within<T>(names: readonly string[], plan: () => T): T {
    const outer = this.#locals
    this.#locals = [...outer, ...names]
    try {
      return plan()
    } finally {
      this.#locals = outer
    }
  }

  #plan(e: Expr): Code {
    switch (e.kind) {
      case 'literal': {
        const value = literalValue(e)
        return () => value
      }
      case 'ident':
        return this.#variable(this.#checked.references.get(e) ?? e.name)
      case 'select':
        return this.#select(e)
      case 'call':
        return this.#call(e)
      case 'list':
        return listCode(e, this)
      case 'map':
        return mapCode(e, this)
      case 'message':
        return messageCode(e, this.#env.object(this.#checked.references.get(e) ?? e.type), this)
      case 'fold':
        return foldCode(e, this)
    }
  }

  #variable(name: string): Code {
    const local = name.startsWith('.') ? -1 : this.#locals.lastIndexOf(name)
    if (local >= 0) {
      return (f) => {
        charge(f, 1)
        return localValue(f, local)
      }
    }
    const bare = name.replace(/^\./, '')
    const constant = this.#env.constants.get(bare)
    return (f) => {
      charge(f, 1)
      if (Object.hasOwn(f.variables, bare)) return f.variables[bare] as Value
      if (constant !== undefined) return constant.value
      throw new CelError(`no such attribute(s): ${bare}`)
    }
  }

  #select(e: Expr & { kind: 'select' }): Code {
    const reference = this.#checked.references.get(e)
    if (reference !== undefined) return this.#variable(reference)
    const operand = this.plan(e.operand)
    const { field } = e
    if (e.test) {
      // Free in Kubernetes, except for the evaluation of the operand.
      return (f) => hasField(operand(f), field)
    }
    return (f) => {
      const of = operand(f)
      charge(f, 1)
      return select(of, field)
    }
  }

  #call(e: Expr & { kind: 'call' }): Code {
    const args = e.args.map((a) => this.plan(a))
    const [a, b, c] = args as [Code, Code, Code]
    switch (e.name) {
      case '_&&_':
        return logical(a, b, false)
      case '_||_':
        return logical(a, b, true)
      case '_?_:_':
        return (f) => {
          const test = a(f)
          if (typeof test !== 'boolean') throw new CelError(NO_OVERLOAD)
          return test ? b(f) : c(f)
        }
      case '@not_strictly_false':
        return (f) => {
          try {
            return a(f) !== false
          } catch (error) {
            if (error instanceof CelError) return true
            throw error
          }
        }
      case '_==_':
      case '_!=_':
        return this.#equality(e, a, b)
      case '_?._':
      case '_[?_]':
        return (f) => {
          const of = a(f)
          charge(f, 1)
          return optionalSelect(of, b(f))
        }
      case '_[_]':
        return (f) => {
          const of = a(f)
          const key = b(f)
          charge(f, 1)
          return of instanceof Optional ? selectThrough(of, key) : index(of, key)
        }
      case 'or':
      case 'orValue':
        if (e.target !== undefined && args.length === 1) return orElse(this.plan(e.target), a, e.name === 'orValue')
        break
    }
    return this.#function(e, args)
  }

  #equality(e: Expr & { kind: 'call' }, a: Code, b: Code): Code {
    const same = e.name === '_==_'
    return (f) => {
      const x = a(f)
      const y = b(f)
      // Mostly plain values: sizes matter only if both sides have one.
      const small = typeof x === 'bigint' || typeof y === 'bigint' || typeof x === 'boolean' || typeof y === 'boolean'
      charge(f, small ? 1 : Math.ceil(Math.min(actualSize(x), actualSize(y)) * COST.traversal))
      return equals(x, y) === same
    }
  }

  #function(e: Expr & { kind: 'call' }, planned: Code[]): Code {
    const reference = this.#checked.references.get(e)
    const member = e.target !== undefined && reference === undefined
    const args = member && e.target !== undefined ? [this.plan(e.target), ...planned] : planned
    const name = reference ?? e.name.replace(/^\./, '')
    const all = (this.#env.functions.get(name) ?? []).filter((o) => o.member === member && o.params.length === args.length)
    const known = this.#checked.overloads.get(e)
    const { actual: cost, early = false } = this.#env.costs.get(name) ?? {}
    const chosen = known?.length === 1 && exact(known[0], e, this.#checked, member) ? known[0] : undefined
    const pick =
      chosen !== undefined
        ? () => chosen
        : (values: readonly Value[]) => all.find((o) => (o.paramsAtRunTime ?? o.params).every((p, i) => fits(values[i] as Value, p)))
    if (isConstantCall(e, this.#env)) {
      try {
        const literals = e.args.flatMap((a) => (a.kind === 'literal' ? [literalValue(a)] : []))
        const value = literals.length === e.args.length ? pick(literals)?.impl(...literals) : undefined
        if (value !== undefined) return () => value
      } catch (error) {
        if (!(error instanceof CelError)) throw error
        // The error is raised if evaluation reaches it.
      }
    }
    return (f) => {
      const values: Value[] = new Array(args.length)
      for (let i = 0; i < args.length; i++) values[i] = (args[i] as Code)(f)
      const overload = pick(values)
      if (overload === undefined) throw noOverload(name, values)
      if (early && cost !== undefined) charge(f, cost(values, null, overload.id))
      const result = overload.impl(...values)
      if (typeof result === 'object' && result !== null && isList(result) && result.length > MAX_LIST) throw tooLarge('list')
      if (typeof result === 'string' && result.length > MAX_TEXT) throw tooLarge('string')
      if (!early) charge(f, cost === undefined ? 1 : cost(values, result, overload.id))
      return result
    }
  }
}

/** The alternative of an optional is evaluated only if there is no value. */
function orElse(of: Code, alternative: Code, unwraps: boolean): Code {
  return (f) => {
    const optional = of(f)
    if (!(optional instanceof Optional)) return optional
    if (optional.value === undefined) return alternative(f)
    return unwraps ? optional.value : optional
  }
}

/** `&&` and `||` take the side that decides, even if the other is an error. */
function logical(a: Code, b: Code, decides: boolean): Code {
  const side = (code: Code, f: Frame): boolean | CelError => {
    try {
      const value = code(f)
      return typeof value === 'boolean' ? value : new CelError(NO_OVERLOAD)
    } catch (error) {
      if (error instanceof CelError) return error
      throw error
    }
  }
  return (f) => {
    const left = side(a, f)
    if (left === decides) return decides
    const right = side(b, f)
    if (right === decides) return decides
    if (left instanceof CelError) throw left
    if (right instanceof CelError) throw right
    return !decides
  }
}

function literalValue(e: Expr & { kind: 'literal' }): Value {
  const v = e.value
  switch (v.type) {
    case 'null':
      return null
    case 'uint':
      return new Uint(v.value)
    default:
      return v.value
  }
}
