import type { Expr } from './ast.ts'
import type { Checked } from './checker.ts'
import type { Overload } from './environment.ts'
import { type CelType, showTypeInFault } from './types.ts'
import { CelError, CelMap, isList, isStruct, typeName, type Value } from './values.ts'

/** True if the checker's types select the overload, so that arguments need no check at run time. */
export function exact(overload: Overload | undefined, e: Expr & { kind: 'call' }, checked: Checked, member: boolean): boolean {
  if (overload === undefined) return false
  const args = member && e.target !== undefined ? [e.target, ...e.args] : e.args
  return args.every((a) => !/dyn|any|error/.test(showTypeInFault(checked.types.get(a) ?? { kind: 'dyn' })))
}

/** True if a value fits a parameter, as far as that is known at run time: of lists and maps the first entry counts. */
export function fits(value: Value, param: CelType): boolean {
  switch (param.kind) {
    case 'dyn':
    case 'any':
    case 'param':
      return true
    case 'null':
      return value === null
    case 'list':
      return isList(value) && (value.length === 0 || fits(value[0] as Value, param.element))
    case 'map':
      return value instanceof CelMap ? entryFits(value, param) : value !== null && isStruct(value)
    case 'timestamp':
      return typeName(value) === 'google.protobuf.Timestamp'
    case 'duration':
      return typeName(value) === 'google.protobuf.Duration'
    case 'object':
    case 'opaque':
      return typeName(value) === param.name
    case 'type':
      return typeName(value) === 'type'
    default:
      return typeName(value) === param.kind
  }
}

function entryFits(map: CelMap, param: CelType & { kind: 'map' }): boolean {
  for (const [key, value] of map.entries()) return fits(key, param.key) && fits(value, param.value)
  return true
}

export const NO_OVERLOAD = 'no such overload'

const WITHOUT_NAME = new Set(['@in', 'contains', 'endsWith', 'startsWith'])

/** The types that support an operator: for those, a wrong right operand has a message without types (as in cel-go). */
const KNOWN_BY: Readonly<Record<string, readonly string[]>> = {
  '_+_': ['int', 'uint', 'double', 'string', 'bytes', 'list', 'google.protobuf.Timestamp', 'google.protobuf.Duration'],
  '_-_': ['int', 'uint', 'double', 'google.protobuf.Timestamp', 'google.protobuf.Duration'],
  '_*_': ['int', 'uint', 'double'],
  '_/_': ['int', 'uint', 'double'],
  '_%_': ['int', 'uint'],
  '-_': ['int', 'double', 'bool'],
  '!_': ['int', 'double', 'bool'],
  ...Object.fromEntries(
    ['_<_', '_<=_', '_>_', '_>=_'].map((name) => [
      name,
      ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'google.protobuf.Timestamp', 'google.protobuf.Duration'],
    ]),
  ),
  size: [],
  matches: [],
}

/** No overload of a function takes these arguments. */
export function noOverload(name: string, args: readonly Value[]): CelError {
  if (WITHOUT_NAME.has(name)) return new CelError(NO_OVERLOAD)
  const knownBy = Object.hasOwn(KNOWN_BY, name) ? KNOWN_BY[name] : undefined
  if (knownBy === undefined) return new CelError(`${NO_OVERLOAD}: ${name}(${args.map(typeName).join(', ')})`)
  return new CelError(knownBy.includes(typeName(args[0] ?? null)) ? NO_OVERLOAD : `${NO_OVERLOAD}: ${name}`)
}
