import { AS_GO, decodeJson, encodeJson, parseWrittenJson } from '../../machinery/json/strict-json.ts'
import type { KubeObject, ObjectMeta } from '../../machinery/object.ts'

const METADATA = Buffer.from('"metadata":{')
const LONG_INTEGER = /\d{16}/

/**
 * The stored form of an object: JSON that begins with kind, apiVersion and metadata in Go's order (custom kinds sort their keys, so
 * apiVersion comes first), without `metadata.resourceVersion`, which the store assigns. Responses insert the revision and share all other
 * bytes.
 */
export function encodeObject(object: KubeObject, custom = false): Buffer {
  const { apiVersion, kind, metadata, ...rest } = object
  const own = { ...metadata, resourceVersion: undefined }
  return ownBytes(encodeJson(custom ? { apiVersion, kind, metadata: own, ...rest } : { kind, apiVersion, metadata: own, ...rest }, AS_GO))
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
const META_ORDER = [
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

/** Metadata with its fields in Go's order and always with a `resourceVersion`. */
export function orderedMeta(metadata: ObjectMeta, resourceVersion = ''): ObjectMeta {
  const ordered: Record<string, unknown> = {}
  for (const field of META_ORDER) {
    if (field === 'resourceVersion') ordered[field] = resourceVersion
    else if (metadata[field] !== undefined) ordered[field] = metadata[field]
  }
  return ordered as ObjectMeta
}

/** The byte offset at which the revision is inserted into an object. */
export interface RevisionOffset {
  /** Offset after `"metadata":{`. */
  readonly start: number
  /** Offset after the members of `metadata` that precede it. */
  readonly at: number
  /** Separators before and after the inserted text. */
  readonly before: '' | ','
  readonly behind: '' | ','
}

const QUOTE = 0x22
const COMMA = 0x2c
const CLOSE = 0x7d
/** The members that Go writes before `resourceVersion`, all of them strings. */
const BEFORE_REVISION = new Set(META_ORDER.slice(0, META_ORDER.indexOf('resourceVersion')).map((name) => `${name}":"`))
const LONGEST = Math.max(...[...BEFORE_REVISION].map((text) => text.length))

/** Finds the insertion point of the revision in stored bytes. */
export function revisionOffset(value: Buffer): RevisionOffset {
  const start = value.indexOf(METADATA) + METADATA.length
  let at = start
  while (value[at] === QUOTE) {
    const name = value.indexOf(QUOTE, at + 1)
    // The slice is `name":"`: a member whose value is a string.
    if (name - at + 2 > LONGEST || !BEFORE_REVISION.has(value.toString('latin1', at + 1, name + 3))) break
    let end = name + 3
    for (; value[end] !== QUOTE; end++) if (value[end] === 0x5c) end++
    if (value[end + 1] !== COMMA) return { start, at: end + 1, before: ',', behind: '' }
    at = end + 2
  }
  return { start, at, before: '', behind: value[at] === CLOSE ? '' : ',' }
}

/** The offset of the closing brace of the object that begins before `at`. */
export function metadataEnd(value: Uint8Array, at: number): number {
  let depth = 1
  for (let i = at; i < value.length; i++) {
    const c = value[i]
    if (c === 0x22) {
      for (i++; value[i] !== 0x22; i++) if (value[i] === 0x5c) i++
    } else if (c === 0x7b || c === 0x5b) depth++
    else if ((c === 0x7d || c === 0x5d) && --depth === 0) return i
  }
  return value.length
}

/** The reverse of `encodeObject`; inserts the revision. */
export function decodeObject(value: Buffer, resourceVersion: string): KubeObject {
  const { apiVersion, kind, metadata, ...rest } = parseJson(value.toString()) as KubeObject
  return { apiVersion, kind, metadata: orderedMeta(metadata, resourceVersion), ...rest }
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
