import { fieldsOf } from './go-layout.ts'

/** The template holds something whose structure is not known here. */
class UnknownType extends Error {}

const PLAIN = new Set(['string', 'bool', 'int32', 'int64'])

/** A type as Go names it: the API's own types, both of `core/v1` and of `meta/v1`, are `v1.X`. */
function typeName(type: string): string {
  if (type.startsWith('*')) return `*${typeName(type.slice(1))}`
  if (type.startsWith('[]')) return `[]${typeName(type.slice(2))}`
  if (type === 'Quantity') return 'resource.Quantity'
  if (type === 'IntOrString') return 'intstr.IntOrString'
  return PLAIN.has(type) || type.includes('.') || type.startsWith('map[') ? type : `v1.${type}`
}

/**
 * Writes a value as Kubernetes does before it hashes it: every field, with its type, set or not.
 * Undefined when the value holds a structure whose layout is not known here.
 */
export function goDump(value: unknown, type: string): string | undefined {
  try {
    return dump(value, type, true)
  } catch (error) {
    if (error instanceof UnknownType) return undefined
    throw error
  }
}

function dump(value: unknown, type: string, named: boolean): string {
  const prefix = named ? `(${typeName(type)})` : ''
  if (type.startsWith('*')) return value == null ? `${named ? prefix : ''}<nil>` : `${prefix}${dump(value, type.slice(1), false)}`
  if (type.startsWith('[]'))
    return value == null ? `${prefix}<nil>` : `${prefix}[${(value as unknown[]).map((v) => dump(v, type.slice(2), false)).join(' ')}]`
  if (type.startsWith('map[') || type === 'ResourceList')
    return `${prefix}${dumpMap(value, type === 'ResourceList' ? 'Quantity' : 'string')}`
  if (type === 'Time') return `${prefix}{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}`
  if (type === 'Quantity') return `${prefix}${dumpQuantity(String(value ?? ''))}`
  if (type === 'IntOrString') return `${prefix}${dumpIntOrString(value)}`
  if (type === 'bool') return `${prefix}${value === true}`
  if (type === 'int32' || type === 'int64') return `${prefix}${value ?? 0}`
  if (type === 'string' || type.includes('.')) return `${prefix}${value ?? ''}`
  return `${prefix}${dumpStruct(value, type)}`
}

function dumpStruct(value: unknown, type: string): string {
  const fields = fieldsOf(type)
  if (fields === undefined) throw new UnknownType(type)
  const object = (value ?? {}) as Record<string, unknown>
  return `{${fields.map((f) => `${f.name}:${dump(f.json === undefined ? object : object[f.json], f.type, true)}`).join(' ')}}`
}

function dumpMap(value: unknown, of: string): string {
  if (value == null) return '<nil>'
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `map[${entries.map(([k, v]) => `${k}:${dump(v, of, false)}`).join(' ')}]`
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
