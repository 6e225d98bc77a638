import type { Expr, Fold } from './ast.ts'
import type { Checked } from './checker.ts'
import { ANY, type ArgumentEstimate, COST, either, exactly, ONE, plus, type Range, times } from './cost.ts'
import type { CallEstimate, Environment, Overload } from './environment.ts'
import { isBinding } from './macros.ts'
import { type CelType, DYN } from './types.ts'

/**
 * The known size of a variable at a path, which begins with the variable's name and continues with fields, `@items`, `@keys` and `@values`.
 * Undefined if nothing is known.
 */
export type SizeLookup = (path: readonly string[]) => Range | undefined

/** The least and greatest cost of a checked program before it runs (cel-go's `checker.Cost`). */
export function estimateCost(program: { readonly expr: Expr; readonly checked: Checked }, env: Environment, sizeAt: SizeLookup): Range {
  return new Estimator(program.checked, env, sizeAt).cost(program.expr)
}

const SCALARS = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint'])

const isScalar = (t: CelType): boolean =>
  t.kind === 'opaque' ? t.name === 'optional_type' && isScalar(t.params[0] ?? DYN) : SCALARS.has(t.kind)

/** The sizes of what a list or map holds. */
interface EntrySizes {
  readonly of: 'list' | 'map'
  /** Of a list's positions: one. */
  readonly key: Range
  readonly value: Range
}

interface Local {
  readonly path?: readonly string[] | undefined
  readonly size?: Range | undefined
  readonly entries?: EntrySizes | undefined
}

class Estimator {
  readonly #checked: Checked
  readonly #env: Environment
  readonly #sizeAt: SizeLookup
  readonly #paths = new Map<Expr, readonly string[]>()
  readonly #sizes = new Map<Expr, Range>()
  readonly #entries = new Map<Expr, EntrySizes>()
  readonly #costs = new Map<Expr, Range>()
  #locals: readonly (readonly [string, Local])[] = []

  constructor(checked: Checked, env: Environment, sizeAt: SizeLookup) {
    this.#checked = checked
    this.#env = env
    this.#sizeAt = sizeAt
  }

  cost(e: Expr): Range {
    let cost = this.#costs.get(e)
    if (cost === undefined) {
      cost = this.#costOf(e)
      this.#costs.set(e, cost)
    }
    return cost
  }

  #costOf(e: Expr): Range {
    switch (e.kind) {
      case 'literal':
        return exactly(0)
      case 'ident':
        return this.#ident(e)
      case 'select':
        return this.#select(e)
      case 'call':
        return this.#call(e)
      case 'list':
        return this.#list(e)
      case 'map':
        return this.#map(e)
      case 'message':
        return this.#sum(
          e.fields.map((f) => f.value),
          COST.struct,
        )
      case 'fold':
        return isBinding(e) ? this.#binding(e) : this.#fold(e)
    }
  }

  #sum(parts: readonly Expr[], base: number): Range {
    return parts.reduce((sum, part) => plus(sum, this.cost(part)), exactly(base))
  }

  #type(e: Expr): CelType {
    return this.#checked.types.get(e) ?? DYN
  }

  #local(e: Expr): Local | undefined {
    return e.kind === 'ident' ? this.#locals.findLast(([name]) => name === e.name)?.[1] : undefined
  }

  #ident(e: Expr & { kind: 'ident' }): Range {
    const local = this.#local(e)
    const path = local === undefined ? [this.#checked.references.get(e) ?? e.name] : local.path
    if (path !== undefined) this.#paths.set(e, path)
    return exactly(COST.access)
  }

  #select(e: Expr & { kind: 'select' }): Range {
    const reference = this.#checked.references.get(e)
    if (reference !== undefined) {
      this.#paths.set(e, [reference])
      return exactly(COST.access)
    }
    const operand = this.cost(e.operand)
    if (e.test) return operand
    this.#step(e, e.operand, e.field)
    const { kind } = this.#type(e.operand)
    return kind === 'map' || kind === 'object' || kind === 'param' ? plus(operand, exactly(COST.access)) : operand
  }

  /** A step from something without a path starts a path, which then refers to the variable itself: cel-go does so. */
  #step(e: Expr, from: Expr, step: string): void {
    this.#paths.set(e, [...(this.#paths.get(from) ?? []), step])
  }

  #list(e: Expr & { kind: 'list' }): Range {
    const cost = this.#sum(e.elements, COST.list)
    this.#entries.set(e, { of: 'list', key: ONE, value: this.#sizesTogether(e.elements) })
    return cost
  }

  #map(e: Expr & { kind: 'map' }): Range {
    const keys = e.entries.map((x) => x.key)
    const values = e.entries.map((x) => x.value)
    const cost = this.#sum([...keys, ...values], COST.map)
    this.#entries.set(e, { of: 'map', key: this.#sizesTogether(keys), value: this.#sizesTogether(values) })
    return cost
  }

  #sizesTogether(parts: readonly Expr[]): Range {
    return parts.length === 0 ? exactly(0) : parts.map((part) => this.size(part)).reduce(either)
  }

  /** The size of the result of an expression. */
  size(e: Expr): Range {
    return this.#knownSize(e) ?? ANY
  }

  #knownSize(e: Expr): Range | undefined {
    const found = this.#sizes.get(e)
    if (found !== undefined) return found
    if (e.kind === 'literal')
      return exactly(e.value.type === 'string' ? [...e.value.value].length : e.value.type === 'bytes' ? e.value.value.length : 1)
    if (e.kind === 'list') return exactly(e.elements.length)
    if (e.kind === 'map') return exactly(e.entries.length)
    const path = this.#paths.get(e)
    const inSchema = path && this.#sizeAt(path)
    return inSchema ?? (isScalar(this.#type(e)) ? ONE : this.#local(e)?.size)
  }

  #entrySizes(e: Expr): EntrySizes | undefined {
    return this.#entries.get(e) ?? this.#local(e)?.entries
  }

  #setSizes(e: Expr, size: Range | undefined, entries: EntrySizes | undefined): void {
    if (size !== undefined) this.#sizes.set(e, size)
    if (entries !== undefined) this.#entries.set(e, entries)
  }

  #call(e: Expr & { kind: 'call' }): Range {
    const reference = this.#checked.references.get(e)
    const member = e.target !== undefined && reference === undefined
    const name = reference ?? e.name.replace(/^\./, '')
    const args = member && e.target !== undefined ? [e.target, ...e.args] : e.args
    const costs = args.map((a) => this.cost(a))
    const [left = exactly(0), right = exactly(0), last = exactly(0)] = costs
    const [first, second, third] = args
    switch (name) {
      case '_&&_':
      case '_||_':
        return { min: left.min, max: plus(left, right).max }
      case '_?_:_':
        if (second !== undefined && third !== undefined)
          this.#setSizes(e, either(this.size(second), this.size(third)), this.#entriesOfBoth(second, third))
        return plus(left, either(right, last))
      case 'dyn':
        if (first !== undefined) this.#setSizes(e, this.#knownSize(first), this.#entrySizes(first))
        return plus(left, ONE)
    }
    const overloads = this.#checked.overloads.get(e) ?? []
    const sum = costs.reduce(plus, exactly(0))
    const own = this.#function(name, args, overloads)
    if (own.size !== undefined) this.#sizes.set(e, own.size)
    if (name === '_[_]' && first !== undefined) this.#index(e, first, overloads)
    if (name === '_+_' && first !== undefined && second !== undefined) this.#setSizes(e, undefined, this.#entriesOfBoth(first, second))
    return plus(sum, own.cost)
  }

  #index(e: Expr, of: Expr, overloads: readonly Overload[]): void {
    for (const { id } of overloads) {
      if (id === 'index_list') this.#step(e, of, '@items')
      else if (id === 'index_map') this.#step(e, of, '@values')
    }
    this.#setSizes(e, this.#entrySizes(of)?.value ?? this.#knownSize(e), undefined)
  }

  #entriesOfBoth(a: Expr, b: Expr): EntrySizes | undefined {
    const [x, y] = [this.#entrySizes(a), this.#entrySizes(b)]
    return x && y && { of: x.of, key: either(x.key, y.key), value: either(x.value, y.value) }
  }

  /** The range over all possible overloads of the call. */
  #function(name: string, args: readonly Expr[], overloads: readonly Overload[]): CallEstimate {
    const estimate = this.#env.costs.get(name)?.estimate
    if (estimate === undefined || overloads.length === 0) return { cost: ONE }
    const described = args.map((a) => this.#describe(a))
    let all: CallEstimate | undefined
    for (const { id } of overloads) {
      const one = estimate(described, id) ?? { cost: ONE }
      if (all === undefined) all = one
      else {
        const size = all.size === undefined || one.size === undefined ? (all.size ?? one.size) : either(all.size, one.size)
        all = { cost: either(all.cost, one.cost), ...(size && { size }) }
      }
    }
    return all ?? { cost: ONE }
  }

  #describe(expr: Expr): ArgumentEstimate {
    const path = this.#paths.get(expr)
    const element = (path && this.#sizeAt([...path, '@items'])) ?? ANY
    return { expr, type: this.#type(expr), size: this.size(expr), element }
  }

  #fold(e: Fold): Range {
    let sum = plus(this.cost(e.range), this.cost(e.init))
    const outer = this.#locals
    const inLoop: readonly (readonly [string, Local])[] = [...outer, [e.accuVar, this.#bound(e.init)]]
    this.#locals = [...inLoop, ...this.#iteration(e)]
    const loop = this.cost(e.condition)
    const step = this.cost(e.step)
    const stepEntries = this.#entrySizes(e.step)
    this.#locals = inLoop
    sum = plus(sum, this.cost(e.result))
    this.#locals = outer
    const count = this.size(e.range)
    // A loop yields at most one element per turn.
    if (e.init.kind === 'list' || e.init.kind === 'map') this.#setSizes(e, count, stepEntries)
    else if (e.init.kind === 'literal') this.#sizes.set(e, this.size(e.init))
    return plus(sum, times(count, plus(loop, step)))
  }

  /** `cel.bind` and `optMap`: the result has the size of its body. */
  #binding(e: Fold): Range {
    const sum = plus(this.cost(e.range), this.cost(e.init))
    const outer = this.#locals
    this.#locals = [...outer, [e.accuVar, this.#bound(e.init)]]
    const result = this.cost(e.result)
    this.#setSizes(e, this.#knownSize(e.result), this.#entrySizes(e.result))
    this.#locals = outer
    return plus(sum, result)
  }

  #bound(e: Expr): Local {
    return { path: this.#paths.get(e), size: this.#knownSize(e), entries: this.#entrySizes(e) }
  }

  #iteration(e: Fold): (readonly [string, Local])[] {
    const entries = this.#entrySizes(e.range)
    const isList = (entries?.of ?? this.#type(e.range).kind) === 'list'
    const path = this.#paths.get(e.range) ?? []
    const value: Local = { path: [...path, isList ? '@items' : '@values'], size: entries?.value }
    const key: Local = { path: [...path, isList ? '@indices' : '@keys'], size: entries?.key }
    if (e.iterVar2 === undefined) return [[e.iterVar, isList ? value : key]]
    return [
      [e.iterVar, key],
      [e.iterVar2, value],
    ]
  }
}
