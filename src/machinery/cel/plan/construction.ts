import { showKey } from '../access.ts'
import type { Expr } from '../ast.ts'
import { COST } from '../cost.ts'
import type { Environment } from '../environment.ts'
import { CelError, CelMap, isKey, Optional, typeName, type Value } from '../values.ts'
import { type Code, charge } from './code.ts'

/** Compiles the parts of a construction. */
interface Plans {
  plan(e: Expr): Code
  isConstant(e: Expr): boolean
}

/** Makes a constant once, but for an empty one: loops add to those. */
function once(e: Expr & { kind: 'list' | 'map' }, make: Code, planner: Plans): Code {
  const isEmpty = (e.kind === 'list' ? e.elements : e.entries).length === 0
  if (isEmpty || !planner.isConstant(e)) return make
  let known: Value | undefined
  return (f) => {
    known ??= make(f)
    return known
  }
}

export function listCode(e: Expr & { kind: 'list' }, planner: Plans): Code {
  const items = e.elements.map((x) => planner.plan(x))
  const { optional } = e
  const cost = planner.isConstant(e) ? 0 : COST.list
  const make: Code = (f) => {
    charge(f, cost)
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
  return once(e, make, planner)
}

export function mapCode(e: Expr & { kind: 'map' }, planner: Plans): Code {
  const entries = e.entries.map((x) => ({ key: planner.plan(x.key), value: planner.plan(x.value), optional: x.optional }))
  const cost = planner.isConstant(e) ? 0 : COST.map
  const make: Code = (f) => {
    charge(f, cost)
    const out = CelMap.of([])
    for (const entry of entries) {
      const key = entry.key(f)
      const value = entry.value(f)
      if (!isKey(key)) throw new CelError(`unsupported key type: ${typeName(key)}`)
      // Of entries with one key the last counts.
      if (!entry.optional) out.put(key, value)
      else if (!(value instanceof Optional))
        throw new CelError(`cannot initialize optional entry '${showKey(key)}' from non-optional value ${showKey(value)}`)
      else if (value.value !== undefined) out.put(key, value.value)
      else out.delete(key)
    }
    return out
  }
  return once(e, make, planner)
}

/** `object`: the constructed type; undefined if it is unknown. */
export function messageCode(e: Expr & { kind: 'message' }, object: ReturnType<Environment['object']>, planner: Plans): Code {
  const fields = e.fields.map((x) => ({ name: x.name, value: planner.plan(x.value), optional: x.optional }))
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
