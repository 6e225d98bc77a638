import { showKey } from '../access.ts'
import { ACCUMULATOR, type Expr, type Fold } from '../ast.ts'
import { COST } from '../cost.ts'
import { NO_OVERLOAD } from '../overload-choice.ts'
import { CelError, CelMap, goTypeOf, isKey, isList, isStruct, type Value } from '../values.ts'
import { type Code, charge, type Frame } from './code.ts'

/** Compiles the parts of a loop, each with the variables in its scope. */
interface LoopPlans {
  readonly depth: number
  plan(e: Expr): Code
  isConstant(e: Expr): boolean
  within<T>(names: readonly string[], plan: () => T): T
}

/** Compiles a loop: every macro over lists and maps is one. */
export function foldCode(e: Fold, planner: LoopPlans): Code {
  const range = planner.plan(e.range)
  const init = planner.plan(e.init)
  const accu = planner.depth
  const result = planner.within([e.accuVar], () => planner.plan(e.result))
  const { condition, step } = planner.within([e.accuVar, e.iterVar, ...(e.iterVar2 === undefined ? [] : [e.iterVar2])], () => ({
    condition: planner.plan(e.condition),
    step: append(e, accu, planner) ?? planner.plan(e.step),
  }))
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

/**
 * The step of a loop that makes a list or map: it appends to the accumulator in place, which is private to the loop, instead of copying it.
 * Undefined if the step is another one.
 */
function append(e: Fold, accu: number, planner: LoopPlans): Code | undefined {
  const { step } = e
  if (e.accuVar !== ACCUMULATOR || step.kind !== 'call') return undefined
  const empty = (e.init.kind === 'list' && e.init.elements.length === 0) || (e.init.kind === 'map' && e.init.entries.length === 0)
  if (!empty) return undefined
  const isAccu = (x: Expr | undefined) => x?.kind === 'ident' && x.name === ACCUMULATOR
  if (step.name === '_?_:_') {
    const [test, yes, no] = step.args
    if (test === undefined || yes?.kind !== 'call' || !isAccu(no)) return undefined
    const add = appendOne(yes, accu, planner)
    const holds = planner.plan(test)
    return (
      add &&
      ((f) => {
        const value = holds(f)
        if (typeof value !== 'boolean') throw new CelError(NO_OVERLOAD)
        if (value) return add(f)
        charge(f, 1)
        return localValue(f, accu)
      })
    )
  }
  return appendOne(step, accu, planner)
}

function appendOne(step: Expr & { kind: 'call' }, accu: number, planner: LoopPlans): Code | undefined {
  const [onto, added, mapped] = step.args
  if (onto?.kind !== 'ident' || onto.name !== ACCUMULATOR || added === undefined) return undefined
  if (step.name === '_+_' && added.kind === 'list' && added.elements.length === 1 && added.optional.size === 0) {
    const item = planner.plan(added.elements[0] as Expr)
    const cost = planner.isConstant(added) ? 2 : 2 + COST.list
    return (f) => {
      charge(f, cost)
      const list = localValue(f, accu) as Value[]
      list.push(item(f))
      return list
    }
  }
  if (step.name !== '@map_insert' || mapped === undefined) return undefined
  const key = planner.plan(added)
  const value = planner.plan(mapped)
  return (f) => {
    charge(f, 2)
    const map = localValue(f, accu) as CelMap
    const k = key(f)
    if (!isKey(k)) throw new CelError('unsupported key type')
    const v = value(f)
    if (map.has(k)) throw new CelError(`insert failed: key ${showKey(k)} already exists`)
    map.put(k, v)
    return map
  }
}

/** An error in a loop is kept as the accumulator's value, so that a later element can still decide `all` or `exists`. */
class Failure {
  readonly error: CelError
  constructor(error: CelError) {
    this.error = error
  }
}

/** The value of a loop variable; throws the error of a failed accumulator. */
export function localValue(f: Frame, at: number): Value {
  const value = f.locals[at] as unknown
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
