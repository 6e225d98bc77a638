import { hasField, index, optionalSelect, select, showKey } from './access.ts'
import { ACCUMULATOR, type Expr, type Fold, walk } from './ast.ts'
import { type Checked, check } from './checker.ts'
import { actualSize, COST } from './cost.ts'
import type { Environment, Variable } from './environment.ts'
import { CelIssues, type Issue } from './issues.ts'
import { exact, fits, NO_OVERLOAD, noOverload } from './overload-choice.ts'
import { parse } from './parser.ts'
import type { CelType } from './types.ts'
import { CelError, CelMap, equals, goTypeOf, isKey, isList, isStruct, type Key, Optional, typeName, Uint, type Value } from './values.ts'

/** What a program has cost; shared by the programs of one request when they have one budget. */
export interface Meter {
  spent: number
  readonly limit: number
}

/** The budget is used up. */
export class CostError extends Error {
  override readonly name = 'CostError'
  constructor() {
    super('operation cancelled: actual cost limit exceeded')
  }
}

/** A checked expression, ready to run many times. */
export interface Program {
  readonly expr: Expr
  readonly checked: Checked
  readonly type: CelType
  /** Throws `CelError` for what the program does wrong, `CostError` when the meter's limit is passed. */
  run(variables: Readonly<Record<string, Value>>, meter?: Meter): Value
}

interface Frame {
  readonly variables: Readonly<Record<string, Value>>
  readonly locals: Value[]
  readonly meter: Meter
}

type Code = (frame: Frame) => Value

export interface CompileOptions {
  readonly env: Environment
  readonly variables: readonly Variable[]
  readonly maxCodePoints?: number
}

/** Parses, checks and plans a program. Throws `CelIssues`, and `CelError` when it is sound but a part of it that never changes fails. */
export function compile(source: string, { env, variables, maxCodePoints }: CompileOptions): Program {
  const expr = parse(source, {
    macros: env.macros,
    optionals: env.functions.has('optional.of'),
    ...(maxCodePoints === undefined ? {} : { maxCodePoints }),
  })
  const checked = check(expr, env, variables)
  const issues = checked.issues.length > 0 ? checked.issues : literalIssues(expr, env)
  if (issues.length > 0)
    throw new CelIssues(
      source,
      issues.toSorted((a, b) => a.at - b.at),
    )
  checkConstants(expr, env, checked)
  return plan(expr, env, checked)
}

/** Plans an expression that is checked already, or that runs unchecked. */
export function plan(expr: Expr, env: Environment, checked: Checked): Program {
  const code = new Planner(env, checked).plan(expr)
  return {
    expr,
    checked,
    type: checked.type,
    run(variables, meter = { spent: 0, limit: Number.POSITIVE_INFINITY }) {
      try {
        return code({ variables, locals: [], meter })
      } catch (error) {
        // A text or list that no machine can hold, or a value nested without end.
        if (error instanceof RangeError) throw new CelError(error.message)
        throw error
      }
    },
  }
}

/** Calls of literals alone are made when the program is: what fails then is an error of the program. */
function checkConstants(expr: Expr, env: Environment, checked: Checked): void {
  walk(expr, (e) => {
    if (isConstantCall(e, env)) plan(e, env, checked).run({})
  })
}

const isConstantCall = (e: Expr, env: Environment): e is Expr & { kind: 'call' } =>
  e.kind === 'call' && e.target === undefined && env.folded.has(e.name) && e.args.length > 0 && e.args.every((a) => a.kind === 'literal')

function literalIssues(expr: Expr, env: Environment): Issue[] {
  const found: Issue[] = []
  walk(expr, (e) => {
    if (e.kind !== 'call') return
    const rule = Object.hasOwn(env.literalChecks, e.name) ? env.literalChecks[e.name] : undefined
    const arg = rule && (e.target === undefined ? e.args : [e.target, ...e.args])[rule.arg]
    if (rule !== undefined && arg?.kind === 'literal' && arg.value.type === 'string' && !rule.check(arg.value.value))
      found.push({ at: arg.at, message: rule.complaint })
  })
  return found
}

function charge(frame: Frame, cost: number): void {
  const { meter } = frame
  meter.spent += cost
  if (meter.spent > meter.limit) throw new CostError()
}

/** No request holds more. Joining lists and formatting texts costs little, so their results are measured, too. */
const MAX_LIST = 4_000_000
const MAX_TEXT = 64 * 1024 * 1024
const tooLarge = (what: string) => new CelError(`the resulting ${what} is too large`)

class Planner {
  readonly #env: Environment
  readonly #checked: Checked
  /** Names of loop variables, innermost last; their index is their place in `locals`. */
  #locals: readonly string[] = []
  readonly #planned = new Map<Expr, Code>()

  constructor(env: Environment, checked: Checked) {
    this.#env = env
    this.#checked = checked
  }

  /** Macros use an argument twice: both uses stand in the same scope, and share their code. */
  plan(e: Expr): Code {
    let code = this.#planned.get(e)
    if (code === undefined) {
      code = this.#plan(e)
      this.#planned.set(e, code)
    }
    return code
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
        return this.#list(e)
      case 'map':
        return this.#map(e)
      case 'message':
        return this.#message(e)
      case 'fold':
        return this.#fold(e)
    }
  }

  #variable(name: string): Code {
    const local = name.startsWith('.') ? -1 : this.#locals.lastIndexOf(name)
    if (local >= 0) {
      return (f) => {
        charge(f, 1)
        const value = f.locals[local] as unknown
        if (value instanceof Failure) throw value.error
        return value as Value
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
      // Free in Kubernetes, but for what leads to the operand.
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
          return of instanceof Optional ? optionalSelect(of, key) : index(of, key)
        }
      default:
        return this.#function(e, args)
    }
  }

  #equality(e: Expr & { kind: 'call' }, a: Code, b: Code): Code {
    const same = e.name === '_==_'
    return (f) => {
      const x = a(f)
      const y = b(f)
      // Mostly plain values: sizes are looked at for those that have one on both sides.
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
        : (values: readonly Value[]) => all.find((o) => o.params.every((p, i) => fits(values[i] as Value, p)))
    if (isConstantCall(e, this.#env)) {
      try {
        const literals = e.args.flatMap((a) => (a.kind === 'literal' ? [literalValue(a)] : []))
        const value = pick(literals)?.impl(...literals)
        if (value !== undefined) return () => value
      } catch (error) {
        if (!(error instanceof CelError)) throw error
        // It fails when it is reached, if it ever is.
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

  #list(e: Expr & { kind: 'list' }): Code {
    const items = e.elements.map((x) => this.plan(x))
    const { optional } = e
    return (f) => {
      charge(f, COST.list)
      const out: Value[] = []
      for (const [i, item] of items.entries()) {
        const value = item(f)
        if (!optional.has(i)) out.push(value)
        else if (!(value instanceof Optional))
          throw new CelError(`cannot initialize optional list element from non-optional value ${showKey(value)}`)
        else if (value.value !== undefined) out.push(value.value)
      }
      return out
    }
  }

  #map(e: Expr & { kind: 'map' }): Code {
    const entries = e.entries.map((x) => ({ key: this.plan(x.key), value: this.plan(x.value), optional: x.optional }))
    return (f) => {
      charge(f, COST.map)
      const out: [Key, Value][] = []
      const seen = new Set<unknown>()
      for (const entry of entries) {
        const key = entry.key(f)
        const value = entry.value(f)
        if (!isKey(key)) throw new CelError(`unsupported key type: ${typeName(key)}`)
        const id = key instanceof Uint ? key.value : key
        if (seen.has(id)) throw new CelError(`Failed with repeated key: ${showKey(key)}`)
        seen.add(id)
        if (!entry.optional) out.push([key, value])
        else if (!(value instanceof Optional))
          throw new CelError(`cannot initialize optional entry '${showKey(key)}' from non-optional value ${showKey(value)}`)
        else if (value.value !== undefined) out.push([key, value.value])
      }
      return CelMap.of(out)
    }
  }

  #message(e: Expr & { kind: 'message' }): Code {
    const object = this.#env.object(this.#checked.references.get(e) ?? e.type)
    const fields = e.fields.map((x) => ({ name: x.name, value: this.plan(x.value), optional: x.optional }))
    return (f) => {
      if (object === undefined) throw new CelError(`unknown type: ${e.type}`)
      charge(f, COST.struct)
      const set = new Map<string, Value>()
      for (const field of fields) {
        const value = field.value(f)
        if (!field.optional) set.set(field.name, value)
        else if (value instanceof Optional && value.value !== undefined) set.set(field.name, value.value)
      }
      return object.make(set)
    }
  }

  /**
   * The step of a loop that makes a list or map: what it adds goes into the accumulator itself, which nobody else can see, instead of into a copy.
   * Undefined: the step is another one.
   */
  #append(e: Fold, accu: number): Code | undefined {
    const { step } = e
    if (e.accuVar !== ACCUMULATOR || step.kind !== 'call') return undefined
    const empty = (e.init.kind === 'list' && e.init.elements.length === 0) || (e.init.kind === 'map' && e.init.entries.length === 0)
    if (!empty) return undefined
    const isAccu = (x: Expr | undefined) => x?.kind === 'ident' && x.name === ACCUMULATOR
    if (step.name === '_?_:_') {
      const [test, yes, no] = step.args
      if (test === undefined || yes?.kind !== 'call' || !isAccu(no)) return undefined
      const add = this.#appendOne(yes, accu)
      const holds = this.plan(test)
      return (
        add &&
        ((f) => {
          const value = holds(f)
          if (typeof value !== 'boolean') throw new CelError(NO_OVERLOAD)
          if (value) return add(f)
          charge(f, 1)
          return accumulated(f, accu)
        })
      )
    }
    return this.#appendOne(step, accu)
  }

  #appendOne(step: Expr & { kind: 'call' }, accu: number): Code | undefined {
    const [onto, added, mapped] = step.args
    if (onto?.kind !== 'ident' || onto.name !== ACCUMULATOR || added === undefined) return undefined
    if (step.name === '_+_' && added.kind === 'list' && added.elements.length === 1 && added.optional.size === 0) {
      const item = this.plan(added.elements[0] as Expr)
      return (f) => {
        charge(f, 2 + COST.list)
        const list = accumulated(f, accu) as Value[]
        list.push(item(f))
        return list
      }
    }
    if (step.name !== '@map_insert' || mapped === undefined) return undefined
    const key = this.plan(added)
    const value = this.plan(mapped)
    return (f) => {
      charge(f, 2)
      const map = accumulated(f, accu) as CelMap
      const k = key(f)
      if (!isKey(k)) throw new CelError('unsupported key type')
      const v = value(f)
      if (map.has(k)) throw new CelError(`insert failed: key ${showKey(k)} already exists`)
      map.put(k, v)
      return map
    }
  }

  #fold(e: Fold): Code {
    const range = this.plan(e.range)
    const init = this.plan(e.init)
    const outer = this.#locals
    const accu = outer.length
    this.#locals = [...outer, e.accuVar]
    const result = this.plan(e.result)
    this.#locals = [...this.#locals, e.iterVar, ...(e.iterVar2 === undefined ? [] : [e.iterVar2])]
    const condition = this.plan(e.condition)
    const step = this.#append(e, accu) ?? this.plan(e.step)
    this.#locals = outer
    const two = e.iterVar2 !== undefined
    return (f) => {
      const over = range(f)
      f.locals[accu] = init(f)
      const turn = (first: Value, second: Value): boolean => {
        f.locals[accu + 1] = first
        if (two) f.locals[accu + 2] = second
        if (condition(f) !== true) return false
        f.locals[accu] = lazily(step, f)
        return true
      }
      if (isList(over)) {
        for (let i = 0; i < over.length; i++) if (!turn(two ? BigInt(i) : (over[i] as Value), over[i] as Value)) break
      } else if (over instanceof CelMap) {
        for (const [k, v] of over.entries()) if (!turn(k, v)) break
      } else if (isStruct(over)) {
        for (const name of over.names()) if (!turn(name, over.get(name) ?? null)) break
      } else throw new CelError(`got '${goTypeOf(over)}', expected iterable type`)
      return result(f)
    }
  }
}

/** An error inside a loop is the accumulator's value, so that a later element can decide `all` or `exists` all the same. */
class Failure {
  readonly error: CelError
  constructor(error: CelError) {
    this.error = error
  }
}

/** The accumulator of a loop that has not failed. */
function accumulated(f: Frame, accu: number): Value {
  const value = f.locals[accu] as unknown
  if (value instanceof Failure) throw value.error
  return value as Value
}

function lazily(step: Code, f: Frame): Value {
  try {
    return step(f)
  } catch (error) {
    if (error instanceof CelError) return new Failure(error) as unknown as Value
    throw error
  }
}

/** `&&` and `||` take the side that decides, whichever it is, even when the other is an error. */
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
