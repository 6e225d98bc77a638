import { byKey } from '../../base/by-text.ts'
import { type GoField, goTypeOf } from '../../resources/go-layout.ts'

/** The template holds something whose structure is not known here. */
class UnknownType extends Error {}

/**
 * Writes a value of `core/v1` as Kubernetes does before it hashes it: every field in Go's order, with its type, set or not.
 * Undefined when the value holds something that cannot be written so.
 */
export function goDump(value: unknown, type: string): string | undefined {
  try {
    return dump(value, type, 'core_v1', true)
  } catch (error) {
    if (error instanceof UnknownType) return undefined
    throw error
  }
}

const PLAIN = new Set(['string', 'bool', 'int32', 'int64'])

/** The package of facts and the name of a type; a name alone is of the package `home`. */
function split(type: string, home: string): readonly [id: string, name: string] {
  const dot = type.indexOf('.')
  return dot < 0 ? [home, type] : [type.slice(0, dot), type.slice(dot + 1)]
}

/** A type as Go names it: the API's own types, both of `core/v1` and of `meta/v1`, are `v1.X`. */
function typeName(type: string, home: string): string {
  if (type.startsWith('*')) return `*${typeName(type.slice(1), home)}`
  if (type.startsWith('[]')) return `[]${typeName(type.slice(2), home)}`
  if (type === 'quantity.Quantity') return 'resource.Quantity'
  if (PLAIN.has(type) || type.startsWith('map[') || /^(?:intstr|types)\./.test(type)) return type
  return `v1.${split(type, home)[1]}`
}

/** `home`: the package of facts whose struct the type is written in. `named`: the type is written before the value. */
function dump(value: unknown, type: string, home: string, named: boolean): string {
  const prefix = named ? `(${typeName(type, home)})` : ''
  if (type.startsWith('*')) return value == null ? `${prefix}<nil>` : `${prefix}${dump(value, type.slice(1), home, false)}`
  if (type.startsWith('[]'))
    return value == null ? `${prefix}<nil>` : `${prefix}[${(value as unknown[]).map((v) => dump(v, type.slice(2), home, false)).join(' ')}]`
  return `${prefix}${dumpPlain(value, type, home)}`
}

function dumpPlain(value: unknown, type: string, home: string): string {
  const map = /^map\[[^\]]*\](.+)$/.exec(type)?.[1]
  if (map !== undefined) return dumpMap(value, map, home)
  if (type === 'bool') return String(value === true)
  if (type === 'int32' || type === 'int64') return String(value ?? 0)
  if (type === 'string' || type === 'types.UID') return String(value ?? '')
  if (type === 'quantity.Quantity') return dumpQuantity(String(value ?? ''))
  if (type === 'intstr.IntOrString') return dumpIntOrString(value)
  const [id, name] = split(type, home)
  if (id === 'meta_v1' && name === 'Time') return '{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}'
  const declared = goTypeOf(id, name)
  if (declared === undefined) throw new UnknownType(type)
  return declared.kind === 'named' ? dumpPlain(value, declared.of, id) : dumpStruct(value, declared.fields, id)
}

function dumpStruct(value: unknown, fields: readonly GoField[], home: string): string {
  const object = (value ?? {}) as Record<string, unknown>
  return `{${fields.map((f) => `${f.name}:${dump(f.json === undefined ? object : object[f.json], f.type, home, true)}`).join(' ')}}`
}

function dumpMap(value: unknown, of: string, home: string): string {
  if (value == null) return '<nil>'
  const entries = Object.entries(value).sort(byKey)
  return `map[${entries.map(([k, v]) => `${k}:${dump(v, of, home, false)}`).join(' ')}]`
}

const dumpIntOrString = (value: unknown) =>
  typeof value === 'string'
    ? `{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)${value}}`
    : `{Type:(intstr.Type)0 IntVal:(int32)${value ?? 0} StrVal:(string)}`

const BINARY: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 }
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 }

/** A quantity as its parser leaves it: a number, its scale, and the text that it was. */
function dumpQuantity(text: string): string {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?([KMGTPE]i|[numkMGTPE]?)$/.exec(text)
  if (match === null) throw new UnknownType('Quantity')
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match
  const binary = BINARY[suffix]
  const digits = BigInt(`${whole}${fraction}` || '0')
  if (binary !== undefined && fraction !== '') throw new UnknownType('Quantity')
  const value = (binary === undefined ? digits : digits << BigInt(binary)) * (sign === '-' ? -1n : 1n)
  const scale = binary === undefined ? (DECIMAL[suffix] ?? 0) - fraction.length : 0
  const format = binary === undefined ? 'DecimalSI' : 'BinarySI'
  const amount = `(resource.int64Amount){value:(int64)${value} scale:(resource.Scale)${scale}}`
  return `{i:${amount} d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string)${text} Format:(resource.Format)${format}}`
}
