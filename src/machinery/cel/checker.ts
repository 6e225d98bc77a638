import type { Expr, Fold, Literal, Offset } from './ast.ts'
import type { Environment, Overload, Variable } from './environment.ts'
import type { Issue } from './issues.ts'
import {
  assignable,
  type Bindings,
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DYN,
  ERROR,
  INT,
  join,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  showTypeInFault,
  substitute,
  TrialBindings,
  UINT,
} from './types.ts'

/** The result of checking, for each expression. */
export interface Checked {
  readonly type: CelType
  readonly types: ReadonlyMap<Expr, CelType>
  /** The possible overloads of a call; one if the types decide. */
  readonly overloads: ReadonlyMap<Expr, readonly Overload[]>
  /** Names with dots that mean one variable or constant: `a.b.c`. */
  readonly references: ReadonlyMap<Expr, string>
  readonly issues: readonly Issue[]
}

const LITERALS: Readonly<Record<Literal['type'], CelType>> = {
  null: NULL,
  bool: BOOL,
  int: INT,
  uint: UINT,
  double: DOUBLE,
  string: STRING,
  bytes: BYTES,
}

/** Assigns a type to every expression (cel-spec, gradual type checking). Faults are collected; a program with faults does not run. */
export function check(expr: Expr, env: Environment, variables: readonly Variable[]): Checked {
  const checker = new Checker(env, variables)
  const type = checker.check(expr)
  return checker.result(type)
}

/** With more faults than that none is reported twice. */
const MOST_REPEATED = 1000

class Checker {
  readonly #env: Environment
  readonly #types = new Map<Expr, CelType>()
  readonly #overloads = new Map<Expr, readonly Overload[]>()
  readonly #references = new Map<Expr, string>()
  readonly #issues: Issue[] = []
  readonly #issuesOf = new Map<Expr, readonly Issue[]>()
  readonly #bindings: Bindings = new Map()
  readonly #globals: ReadonlyMap<string, CelType>
  #scope: readonly (readonly [string, CelType])[] = []
  #fresh = 0

  constructor(env: Environment, variables: readonly Variable[]) {
    this.#env = env
    this.#globals = new Map(variables.map((v) => [v.name, v.type]))
  }

  result(type: CelType): Checked {
    const final = (t: CelType) => substitute(this.#bindings, t, true)
    return {
      type: final(type),
      types: new Map([...this.#types].map(([e, t]) => [e, final(t)])),
      overloads: this.#overloads,
      references: this.#references,
      issues: this.#issues,
    }
  }

  check(e: Expr): CelType {
    // Macros use an argument twice, in the same scope: its faults are reported twice, too, as by cel-go.
    const known = this.#types.get(e)
    if (known !== undefined) {
      if (this.#issues.length < MOST_REPEATED) this.#issues.push(...(this.#issuesOf.get(e) ?? []))
      return known
    }
    const before = this.#issues.length
    const type = this.#typeOf(e)
    this.#types.set(e, type)
    if (this.#issues.length > before) this.#issuesOf.set(e, this.#issues.slice(before))
    return type
  }

  #typeOf(e: Expr): CelType {
    switch (e.kind) {
      case 'literal':
        return LITERALS[e.value.type]
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
        return this.#message(e)
      case 'fold':
        return this.#fold(e)
    }
  }

  #fail(at: Offset, message: string): CelType {
    this.#issues.push({ at, message })
    return ERROR
  }

  /** Resolves a name: loop variables first, then variables and constants, from the innermost container outwards. */
  #lookUp(name: string): { readonly name: string; readonly type: CelType } | undefined {
    const global = name.startsWith('.')
    const bare = global ? name.slice(1) : name
    if (!global) {
      const local = this.#scope.findLast(([n]) => n === bare)
      if (local !== undefined) return { name: bare, type: local[1] }
    }
    for (const candidate of global ? [bare] : candidates(this.#env.container, bare)) {
      const type = this.#globals.get(candidate) ?? this.#env.constants.get(candidate)?.type
      if (type !== undefined) return { name: candidate, type }
    }
    return undefined
  }

  #ident(e: Expr & { kind: 'ident' }): CelType {
    const found = this.#lookUp(e.name)
    if (found === undefined) return this.#fail(e.at, `undeclared reference to '${e.name}' (in container '${this.#env.container}')`)
    this.#references.set(e, found.name)
    return found.type
  }

  #select(e: Expr & { kind: 'select' }): CelType {
    const qualified = e.test ? undefined : qualifiedName(e)
    if (qualified !== undefined && !this.#scope.some(([n]) => n === qualified.split('.')[0])) {
      const found = this.#lookUp(qualified)
      if (found !== undefined) {
        this.#references.set(e, found.name)
        return found.type
      }
    }
    const operand = this.check(e.operand)
    const field = this.#field(e.at, substitute(this.#bindings, operand, false), e.field)
    return e.test ? BOOL : field
  }

  #field(at: Offset, operand: CelType, name: string): CelType {
    if (operand.kind === 'opaque' && operand.name === 'optional_type') return optionalOf(this.#field(at, operand.params[0] ?? DYN, name))
    switch (operand.kind) {
      case 'map':
        return operand.value
      case 'object':
        return operand.field(name) ?? this.#fail(at, `undefined field '${name}'`)
      case 'param':
        this.#bindings.set(operand.name, DYN)
        return DYN
      case 'dyn':
      case 'any':
      case 'error':
        return DYN
      case 'opaque':
        if (operand.structure) return this.#fail(at, `unexpected failed resolution of '${operand.name}'`)
        break
    }
    this.#fail(at, `type '${showTypeInFault(operand)}' does not support field selection`)
    return DYN
  }

  #call(e: Expr & { kind: 'call' }): CelType {
    if (e.name === '_?._') return this.#optionalSelect(e)
    let name = e.name
    let target = e.target
    if (target !== undefined) {
      // A dotted target may be a namespace: `math.greatest(…)`.
      const prefix = qualifiedName(target)
      const found = prefix === undefined ? undefined : this.#function(`${prefix}.${e.name}`, false)
      if (found !== undefined) {
        name = found
        target = undefined
        this.#references.set(e, found)
      }
    }
    if (name === '_&&_' || name === '_||_') {
      const fit = e.args.map((arg) => this.#assign(arg, BOOL))
      this.#overloads.set(e, this.#env.functions.get(name) ?? [])
      return fit.every(Boolean) ? BOOL : ERROR
    }
    const full = this.#function(name, target !== undefined)
    const args = [...(target === undefined ? [] : [this.check(target)]), ...e.args.map((a) => this.check(a))]
    if (full === undefined) return this.#fail(e.at, `undeclared reference to '${name}' (in container '${this.#env.container}')`)
    return this.#resolve(e, full, target !== undefined, args)
  }

  #function(name: string, member: boolean): string | undefined {
    if (member) return this.#env.functions.has(name) ? name : undefined
    if (name.startsWith('.')) return this.#env.functions.has(name.slice(1)) ? name.slice(1) : undefined
    return candidates(this.#env.container, name).find((c) => this.#env.functions.has(c))
  }

  #resolve(e: Expr & { kind: 'call' }, name: string, member: boolean, args: readonly CelType[]): CelType {
    const matching: Overload[] = []
    let result: CelType | undefined
    for (const overload of this.#env.functions.get(name) ?? []) {
      if (overload.member !== member || overload.params.length !== args.length) continue
      const fresh = this.#instantiate(overload)
      const trial = new TrialBindings(this.#bindings)
      if (!args.every((a, i) => assignable(trial, a, fresh.params[i] ?? DYN))) continue
      // What the first overload that fits has bound is bound for the others, too.
      trial.keep()
      matching.push(overload)
      const type = substitute(trial, fresh.result, false)
      if (result === undefined) result = type
      else if (result.kind !== 'dyn' && !sameType(result, type)) result = DYN
    }
    if (result === undefined) {
      const shown = args.map((a) => showTypeInFault(substitute(this.#bindings, a, true)))
      const target = member ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`
      return this.#fail(e.at, `found no matching overload for '${name}' applied to '${target}'`)
    }
    this.#overloads.set(e, matching)
    return result
  }

  /** The overload with fresh type parameters. */
  #instantiate(overload: Overload): { readonly params: readonly CelType[]; readonly result: CelType } {
    const names = new Map<string, CelType>()
    const rename = (t: CelType): CelType => {
      collectParams(t, (name) => {
        if (!names.has(name)) names.set(name, { kind: 'param', name: `_var${this.#fresh++}` })
      })
      return names.size === 0 ? t : renameParams(names, t)
    }
    return { params: overload.params.map(rename), result: rename(overload.result) }
  }

  #optionalSelect(e: Expr & { kind: 'call' }): CelType {
    const [operand, field] = e.args
    if (operand === undefined || field?.kind !== 'literal' || field.value.type !== 'string') return ERROR
    const of = substitute(this.#bindings, this.check(operand), false)
    this.check(field)
    const inner = of.kind === 'opaque' && of.name === 'optional_type' ? (of.params[0] ?? DYN) : of
    return optionalOf(this.#field(e.at, inner, field.value.value))
  }

  #list(e: Expr & { kind: 'list' }): CelType {
    let element: CelType | undefined
    for (const [i, item] of e.elements.entries()) {
      const type = this.#unwrapped(item, this.check(item), e.optional.has(i))
      element = this.#join(element, type)
    }
    return listOf(element ?? this.#unknown())
  }

  #map(e: Expr & { kind: 'map' }): CelType {
    let key: CelType | undefined
    let value: CelType | undefined
    for (const entry of e.entries) {
      key = this.#join(key, this.check(entry.key))
      value = this.#join(value, this.#unwrapped(entry.value, this.check(entry.value), entry.optional))
    }
    return mapOf(key ?? this.#unknown(), value ?? this.#unknown())
  }

  #unknown(): CelType {
    return { kind: 'param', name: `_var${this.#fresh++}` }
  }

  #unwrapped(at: Expr, type: CelType, optional: boolean): CelType {
    if (!optional) return type
    const t = substitute(this.#bindings, type, false)
    if (t.kind === 'opaque' && t.name === 'optional_type') return t.params[0] ?? DYN
    if (t.kind === 'dyn' || t.kind === 'any') return DYN
    return this.#fail(at.at, `expected type 'optional_type(${showTypeInFault(t)})' but found '${showTypeInFault(t)}'`)
  }

  /** The common type of elements; `validate` finds those that must have one. */
  #join(before: CelType | undefined, type: CelType): CelType {
    return before === undefined ? type : (join(this.#bindings, before, type) ?? DYN)
  }

  #message(e: Expr & { kind: 'message' }): CelType {
    const bare = e.type.replace(/^\./, '')
    const name = (e.type.startsWith('.') ? [bare] : candidates(this.#env.container, bare)).find((c) => this.#env.object(c) !== undefined)
    const object = name === undefined ? undefined : this.#env.object(name)
    if (object === undefined || name === undefined)
      return this.#fail(e.at, `undeclared reference to '${bare}' (in container '${this.#env.container}')`)
    for (const f of e.fields) {
      const value = this.#unwrapped(f.value, this.check(f.value), f.optional)
      const wanted = object.type.field(f.name)
      if (wanted === undefined) this.#fail(f.at, `undefined field '${f.name}'`)
      else if (!assignable(this.#bindings, value, wanted)) {
        this.#fail(
          f.at,
          `expected type of field '${f.name}' is '${showTypeInFault(wanted)}' but provided type is '${showTypeInFault(substitute(this.#bindings, value, true))}'`,
        )
      }
    }
    this.#references.set(e, name)
    return object.result ?? object.type
  }

  #fold(e: Fold): CelType {
    const range = substitute(this.#bindings, this.check(e.range), false)
    const init = this.check(e.init)
    const [first, second] = this.#iteration(e, range)
    const outer = this.#scope
    this.#scope = [...outer, [e.accuVar, init]]
    const inner: (readonly [string, CelType])[] = [[e.iterVar, first]]
    if (e.iterVar2 !== undefined) inner.push([e.iterVar2, second])
    const accuScope = this.#scope
    this.#scope = [...accuScope, ...inner]
    this.#assign(e.condition, BOOL)
    const step = this.check(e.step)
    if (!assignable(this.#bindings, step, init)) this.#fail(e.step.at, this.#mismatch(init, step))
    this.#scope = accuScope
    const result = this.check(e.result)
    this.#scope = outer
    return substitute(this.#bindings, result, false)
  }

  #iteration(e: Fold, range: CelType): readonly [CelType, CelType] {
    switch (range.kind) {
      case 'list':
        return e.iterVar2 === undefined ? [range.element, DYN] : [INT, range.element]
      case 'map':
        return [range.key, range.value]
      case 'dyn':
      case 'error':
        return [DYN, DYN]
      case 'param':
        this.#bindings.set(range.name, DYN)
        return [DYN, DYN]
      default:
        this.#fail(
          e.range.at,
          `expression of type '${showTypeInFault(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        )
        return [ERROR, ERROR]
    }
  }

  #assign(e: Expr, wanted: CelType): boolean {
    const type = this.check(e)
    const fits = assignable(this.#bindings, type, wanted)
    if (!fits) this.#fail(e.at, this.#mismatch(wanted, type))
    return fits
  }

  #mismatch(wanted: CelType, found: CelType): string {
    const show = (t: CelType) => showTypeInFault(substitute(this.#bindings, t, true))
    return `expected type '${show(wanted)}' but found '${show(found)}'`
  }
}

/** `a.b.c` in container `x.y`: `x.y.a.b.c`, `x.a.b.c`, `a.b.c`. */
export function candidates(container: string, name: string): string[] {
  const parts = container === '' ? [] : container.split('.')
  return [...parts.map((_, i) => `${parts.slice(0, parts.length - i).join('.')}.${name}`), name]
}

/** The dotted name of an expression; undefined if it is anything else. */
export function qualifiedName(e: Expr): string | undefined {
  if (e.kind === 'ident') return e.name
  if (e.kind !== 'select' || e.test) return undefined
  const prefix = qualifiedName(e.operand)
  return prefix === undefined ? undefined : `${prefix}.${e.field}`
}

function collectParams(t: CelType, found: (name: string) => void): void {
  if (t.kind === 'param') found(t.name)
  else if (t.kind === 'list') collectParams(t.element, found)
  else if (t.kind === 'map') {
    collectParams(t.key, found)
    collectParams(t.value, found)
  } else if (t.kind === 'opaque') for (const p of t.params) collectParams(p, found)
  else if (t.kind === 'type' && t.of !== undefined) collectParams(t.of, found)
}

/** One pass, so that a fresh name is never taken for an old one. */
const renameParams = (names: Bindings, t: CelType): CelType => {
  switch (t.kind) {
    case 'param':
      return names.get(t.name) ?? t
    case 'list':
      return listOf(renameParams(names, t.element))
    case 'map':
      return mapOf(renameParams(names, t.key), renameParams(names, t.value))
    case 'opaque':
      return { ...t, params: t.params.map((p) => renameParams(names, p)) }
    case 'type':
      return t.of === undefined ? t : { ...t, of: renameParams(names, t.of) }
    default:
      return t
  }
}

const sameType = (a: CelType, b: CelType): boolean => showTypeInFault(a) === showTypeInFault(b)
