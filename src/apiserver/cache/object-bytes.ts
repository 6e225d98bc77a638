import { AS_GO, decodeJson, encodeJson, parseWrittenJson } from '../../machinery/json/strict-json.ts'
import { asJson, type KubeObject, type ObjectMeta } from '../../machinery/object.ts'
import { sortedKeys } from '../../machinery/sorted-keys.ts'

const LONG_INTEGER = /\d{16}/

/**
 * The stored form of an object: JSON in Go's order, without `metadata.resourceVersion`, which the store assigns. Responses insert the
 * revision and share all other bytes. Built-in kinds begin with kind, apiVersion and metadata; custom ones have sorted keys everywhere.
 */
export function encodeObject(object: KubeObject, custom = false): Buffer {
  const { apiVersion, kind, metadata, ...rest } = object
  const own = { ...metadata, resourceVersion: undefined }
  const whole = custom ? sortedKeys(asJson({ apiVersion, kind, metadata: own, ...rest })) : { kind, apiVersion, metadata: own, ...rest }
  return ownBytes(encodeJson(whole, AS_GO))
}

/**
 * Bytes in memory of their own. `Buffer.from` cuts small buffers out of slabs, and one live byte keeps its whole slab: a pod that runs for
 * days would retain the past states and responses that were written beside its last state.
 */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

/** The fields of metadata in the order in which Go writes them. */
export const META_ORDER = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
] as const

/** The same for custom kinds. */
const CUSTOM_META_ORDER = [...META_ORDER].sort()

interface MetaOrder {
  readonly custom?: boolean
  /** Default the metadata's own. */
  readonly resourceVersion?: string
}

/** Metadata with its fields in Go's order. */
export function orderedMeta(metadata: ObjectMeta, { custom = false, resourceVersion }: MetaOrder = {}): ObjectMeta {
  const ordered: Record<string, unknown> = {}
  for (const field of custom ? CUSTOM_META_ORDER : META_ORDER) {
    if (field === 'resourceVersion' && resourceVersion !== undefined) ordered[field] = resourceVersion
    else if (metadata[field] !== undefined) ordered[field] = metadata[field]
  }
  return ordered as ObjectMeta
}

const BUILT_IN = Buffer.from('{"kind"')

/** True for the stored form of a custom object. */
export const isCustom = (value: Buffer): boolean => value.compare(BUILT_IN, 0, BUILT_IN.length, 0, BUILT_IN.length) !== 0

/** The reverse of `encodeObject`; inserts the revision. */
export function decodeObject(value: Buffer, resourceVersion: string): KubeObject {
  const { apiVersion, kind, metadata, ...rest } = parseJson(value.toString()) as KubeObject
  return { apiVersion, kind, metadata: orderedMeta(metadata, { custom: isCustom(value), resourceVersion }), ...rest }
}

/** `JSON.parse` that keeps integers beyond 2^53 exact. */
export function parseJson(text: string): unknown {
  if (!LONG_INTEGER.test(text)) return parseWrittenJson(text)
  // Keys with escapes: see `parseWrittenJson`.
  if (text.includes('\\')) return decodeJson(text).value
  const reviver = (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && context?.source !== undefined && /^-?\d+$/.test(context.source)
      ? BigInt(context.source)
      : value
  return JSON.parse(text, reviver)
}
