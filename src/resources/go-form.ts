import { byKey } from '../base/by-text.ts'
import { givenEmpty } from '../machinery/schema/given-empty.ts'
import type { Schema, StructSchema } from '../machinery/schema/schema.ts'

const KUBERNETES_TYPES = /^io\.k8s\.(api\.|apiextensions-apiserver|kube-aggregator)/

/** Names whose Go form is not just capitalized. */
const INITIALISMS = [
  'api',
  'uid',
  'url',
  'cel',
  'csi',
  'nfs',
  'iscsi',
  'rbd',
  'fc',
  'ip',
  'cidr',
  'http',
  'tls',
  'aws',
  'gce',
  'fs',
  'ca',
  'id',
  'dns',
  'tcp',
  'grpc',
  'gmsa',
  'iqn',
  'os',
  'tty',
  'se',
]

const OTHER_NAMES: Readonly<Record<string, string>> = {
  cephfs: 'CephFS',
  storageos: 'StorageOS',
  wwids: 'WWIDs',
  diskURI: 'DataDiskURI',
  chapAuthDiscovery: 'DiscoveryCHAPAuth',
  chapAuthSession: 'SessionCHAPAuth',
}

/** The names that were asked for; fields of the types are few. */
const known = new Map<string, string>()

/** The name of a field in Go's internal type: `apiGroup` → `APIGroup`. */
export function goFieldName(jsonName: string): string {
  const name = known.get(jsonName) ?? capitalized(jsonName)
  known.set(jsonName, name)
  return name
}

function capitalized(jsonName: string): string {
  const other = OTHER_NAMES[jsonName]
  if (other !== undefined) return other
  const start = INITIALISMS.find((word) => jsonName.startsWith(word) && !/[a-z]/.test(jsonName.charAt(word.length)))
  const plural = /^(cidr|ip)s$/.exec(jsonName)
  if (plural) return `${(plural[1] ?? '').toUpperCase()}s`
  const length = start?.length ?? 1
  return jsonName.slice(0, length).toUpperCase() + jsonName.slice(length)
}

/**
 * A decoded value as Go prints its internal type in JSON: all fields under their Go names, absent ones as their zero value. Field errors
 * and differences show values in this form.
 */
export function goForm(value: unknown, schema: Schema, pointer = false): unknown {
  if (value === undefined || value === null) {
    if (pointer || schema.type !== 'struct') return pointer ? null : zero(schema)
    return isInternal(schema) ? structForm({}, schema) : {}
  }
  if (schema.type === 'struct' && typeof value === 'object') {
    const object = value as Record<string, unknown>
    return isInternal(schema) ? structForm(object, schema) : inOrder(object, schema)
  }
  if (schema.type === 'list' && Array.isArray(value)) return value.map((item) => goForm(item, schema.items))
  if (schema.type === 'map' && typeof value === 'object') {
    const entries = Object.entries(value as Record<string, unknown>).sort(byKey)
    return Object.fromEntries(entries.map(([k, v]) => [k, goForm(v, schema.values)]))
  }
  return value
}

const isInternal = (schema: StructSchema) => KUBERNETES_TYPES.test(schema.openapiName ?? '')

function structForm(object: Record<string, unknown>, schema: StructSchema): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const [name, field] of schema.fields) {
    if (field.inlineOf === 'TypeMeta') continue
    const form = goForm(object[name] ?? givenEmpty(object, name), field.schema, field.pointer)
    if (name === 'metadata') Object.assign(out, form)
    else out[goFieldName(name)] = form
  }
  return out
}

/** Types of apimachinery keep their JSON names, and omit empty fields. */
function inOrder(object: Record<string, unknown>, schema: StructSchema): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const [name, field] of schema.fields) if (object[name] !== undefined) out[name] = goForm(object[name], field.schema, field.pointer)
  return out
}

function zero(schema: Schema): unknown {
  if (schema.type !== 'scalar') return null
  switch (schema.scalar) {
    case 'string':
      return ''
    case 'bool':
      return false
    case 'quantity':
      return '0'
    case 'bytes':
    case 'time':
    case 'microtime':
      return null
    case 'duration':
      return '0s'
    default:
      return 0
  }
}

/** The schema of a field, by its path, through lists and maps. */
export function fieldSchema(schema: Schema, ...path: readonly string[]): Schema {
  let at = schema
  for (const name of path) {
    while (at.type === 'list' || at.type === 'map') at = at.type === 'list' ? at.items : at.values
    const field = at.type === 'struct' ? at.fields.get(name) : undefined
    if (!field) throw new Error(`no field ${name} in ${at.go ?? at.type}`)
    at = field.schema
  }
  return at
}
