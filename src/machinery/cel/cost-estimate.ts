import type { Expr, Fold } from './ast.ts'
import type { Checked } from './checker.ts'
import { ANY, type ArgumentEstimate, COST, either, exactly, ONE, plus, type Range, scaled, times } from './cost.ts'
import type { CallEstimate, Environment, Overload } from './environment.ts'
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

const SCALARS = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'type', 'uint'])

interface Local {
  readonly path: readonly string[] | undefined
  readonly size: Range | undefined
}

class Estimator {
  readonly #checked: Checked
  readonly #env: Environment
  readonly #sizeAt: SizeLookup
  readonly #paths = new Map<Expr, readonly string[]>()
  readonly #sizes = new Map<Expr, Range>()
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
        return this.#sum(e.elements, COST.list)
      case 'map':
        return this.#sum(
          e.entries.flatMap((x) => [x.key, x.value]),
          COST.map,
        )
      case 'message':
        return this.#sum(
          e.fields.map((f) => f.value),
          COST.struct,
        )
      case 'fold':
        return this.#fold(e)
    }
  }

  #sum(parts: readonly Expr[], base: number): Range {
    return parts.reduce((sum, part) => plus(sum, this.cost(part)), exactly(base))
  }

  #type(e: Expr): CelType {
    return this.#checked.types.get(e) ?? DYN
  }

  #ident(e: Expr & { kind: 'ident' }): Range {
    const local = this.#locals.findLast(([name]) => name === e.name)?.[1]
    if (local === undefined) this.#paths.set(e, [this.#checked.references.get(e) ?? e.name])
    else {
      if (local.path !== undefined) this.#paths.set(e, local.path)
      if (local.size !== undefined) this.#sizes.set(e, local.size)
    }
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
    // A field of something without a path starts a path, which then refers to the variable itself: cel-go does so.
    this.#paths.set(e, [...(this.#paths.get(e.operand) ?? []), e.field])
    const { kind } = this.#type(e.operand)
    return kind === 'map' || kind === 'object' || kind === 'param' ? plus(operand, exactly(COST.access)) : operand
  }

  #extend(e: Expr, from: Expr, step: string): void {
    const path = this.#paths.get(from)
    if (path !== undefined) this.#paths.set(e, [...path, step])
  }

  /** The size of the result of an expression. */
  size(e: Expr): Range {
    return this.#knownSize(e) ?? (SCALARS.has(this.#type(e).kind) ? ONE : ANY)
  }

  #knownSize(e: Expr): Range | undefined {
    if (e.kind === 'literal') return exactly(e.value.type === 'string' || e.value.type === 'bytes' ? e.value.value.length : 1)
    if (e.kind === 'list') return exactly(e.elements.length)
    if (e.kind === 'map') return exactly(e.entries.length)
    const found = this.#sizes.get(e)
    if (found !== undefined) return found
    const path = this.#paths.get(e)
    return path === undefined ? undefined : this.#sizeAt(path)
  }

  #call(e: Expr & { kind: 'call' }): Range {
    const reference = this.#checked.references.get(e)
    const member = e.target !== undefined && reference === undefined
    const name = reference ?? e.name.replace(/^\./, '')
    const args = member && e.target !== undefined ? [e.target, ...e.args] : e.args
    const costs = args.map((a) => this.cost(a))
    if (name === '_&&_' || name === '_||_') {
      const [left = exactly(0), right = exactly(0)] = costs
      return { min: left.min, max: plus(left, right).max }
    }
    if (name === '_?_:_') return this.#conditional(e, args, costs)
    const [first, second] = args
    if (name === '_[_]' || name === '_[?_]') {
      if (first !== undefined) this.#extend(e, first, this.#type(first).kind === 'list' ? '@items' : '@values')
    } else if (name === '_?._' && first !== undefined && second?.kind === 'literal' && second.value.type === 'string')
      this.#extend(e, first, second.value.value)
    const sum = costs.reduce(plus, exactly(0))
    const own = this.#function(name, args, this.#checked.overloads.get(e) ?? [])
    if (own.size !== undefined) this.#sizes.set(e, own.size)
    return plus(sum, own.cost)
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

  #conditional(e: Expr, args: readonly Expr[], costs: readonly Range[]): Range {
    const [test = exactly(0), yes = exactly(0), no = exactly(0)] = costs
    const [, a, b] = args
    if (a !== undefined && b !== undefined) this.#sizes.set(e, either(this.size(a), this.size(b)))
    return plus(test, either(yes, no))
  }

  #fold(e: Fold): Range {
    let sum = plus(this.cost(e.range), this.cost(e.init))
    const outer = this.#locals
    const accumulator: Local = { path: this.#paths.get(e.init), size: this.#knownSize(e.init) }
    const inLoop: readonly (readonly [string, Local])[] = [...outer, [e.accuVar, accumulator]]
    this.#locals = [...inLoop, ...this.#iteration(e)]
    const loop = this.cost(e.condition)
    const step = this.cost(e.step)
    this.#locals = inLoop
    sum = plus(sum, this.cost(e.result))
    this.#locals = outer
    const count = this.size(e.range)
    // A bound name has the size of its value; a loop yields at most one element per turn.
    if (e.init.kind === 'list' || e.init.kind === 'map') this.#sizes.set(e, count)
    else if (e.init.kind === 'literal') this.#sizes.set(e, this.size(e.init))
    else {
      const result = this.#knownSize(e.result)
      if (result !== undefined) this.#sizes.set(e, result)
    }
    return plus(sum, times(count, plus(loop, step)))
  }

  #iteration(e: Fold): (readonly [string, Local])[] {
    const { kind } = this.#type(e.range)
    const path = this.#paths.get(e.range) ?? []
    const at = (step: string): Local => ({ path: [...path, step], size: undefined })
    if (e.iterVar2 === undefined) return [[e.iterVar, at(kind === 'list' ? '@items' : '@keys')]]
    const first: Local = kind === 'list' ? { path: undefined, size: ONE } : at('@keys')
    return [
      [e.iterVar, first],
      [e.iterVar2, at(kind === 'list' ? '@items' : '@values')],
    ]
  }
}

/** The cost of comparing two things: of the shorter one. */
export function comparison([a, b]: readonly ArgumentEstimate[]): CallEstimate | undefined {
  if (a === undefined || b === undefined) return undefined
  const opaque = (t: CelType) => t.kind === 'opaque' && t.name !== 'optional_type'
  if (opaque(a.type) && opaque(b.type)) return { cost: ONE }
  const shorter = Math.min(a.size.max, b.size.max)
  return { cost: scaled({ min: shorter > 0 ? 1 : 0, max: shorter }, COST.traversal) }
}
