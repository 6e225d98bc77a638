import { byKey } from '../base/by-text.ts'
import { scalarZero } from '../machinery/schema/decode-scalar.ts'
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

const RBD = { monitors: 'CephMonitors', image: 'RBDImage', pool: 'RBDPool', user: 'RadosUser' }
const SCALE_IO = { sslEnabled: 'SSLEnabled' }
const GLUSTERFS = { endpoints: 'EndpointsName' }

/** Fields whose Go name cannot be derived from their name in JSON, by the name of the struct. */
const NAMES_IN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  GCEPersistentDiskVolumeSource: { pdName: 'PDName' },
  GlusterfsVolumeSource: GLUSTERFS,
  GlusterfsPersistentVolumeSource: GLUSTERFS,
  RBDVolumeSource: RBD,
  RBDPersistentVolumeSource: RBD,
  ScaleIOVolumeSource: SCALE_IO,
  ScaleIOPersistentVolumeSource: SCALE_IO,
}

/** The name of a field in Go's internal type: `apiGroup` → `APIGroup`; `struct` is the name of the type. */
export function goFieldName(jsonName: string, struct = ''): string {
  const special = NAMES_IN[struct]?.[jsonName]
  if (special !== undefined) return special
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
    else out[goFieldName(name, schema.name)] = form
  }
  return inGoOrder(schema, out)
}

/** Fields of internal types whose order is not that of the versioned ones; fields that are not listed follow. */
const GO_ORDERS: Readonly<Record<string, readonly string[]>> = {
  PersistentVolumeSpec: [
    'Capacity',
    'GCEPersistentDisk',
    'AWSElasticBlockStore',
    'HostPath',
    'Glusterfs',
    'NFS',
    'RBD',
    'Quobyte',
    'ISCSI',
    'FlexVolume',
    'Cinder',
    'CephFS',
    'FC',
    'Flocker',
    'AzureFile',
    'VsphereVolume',
    'AzureDisk',
    'PhotonPersistentDisk',
    'PortworxVolume',
    'ScaleIO',
    'Local',
    'StorageOS',
    'CSI',
  ],
}

/** The fields of a struct in the order of Go's internal type. */
export function inGoOrder({ name = '' }: StructSchema, form: Record<string, unknown>): Record<string, unknown> {
  const first = (GO_ORDERS[name] ?? []).filter((field) => Object.hasOwn(form, field)).map((field) => [field, form[field]])
  return first.length === 0 ? form : { ...Object.fromEntries(first), ...form }
}

/** Types of apimachinery keep their JSON names, and omit empty fields. */
function inOrder(object: Record<string, unknown>, schema: StructSchema): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const [name, field] of schema.fields) if (object[name] !== undefined) out[name] = goForm(object[name], field.schema, field.pointer)
  return out
}

const zero = (schema: Schema): unknown => (schema.type === 'scalar' ? scalarZero(schema.scalar) : null)

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
