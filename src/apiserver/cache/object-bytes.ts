import { decodeJson, hasEscapedKey, rawJson } from '../../machinery/json/strict-json.ts'
import type { KubeObject, ObjectMeta } from '../../machinery/object.ts'

const METADATA = Buffer.from('"metadata":{')
const LONG_INTEGER = /\d{16}/

/**
 * The stored form of an object: its JSON, beginning with kind, apiVersion and metadata as Go writes it (of custom kinds the keys are in order, so
 * apiVersion comes first), and without `metadata.resourceVersion` (which the store gives it). Answers put the revision in at its place and share all
 * other bytes.
 */
export function encodeObject(object: KubeObject, custom = false): Buffer {
  const { apiVersion, kind, metadata, ...rest } = object
  const own = { ...metadata, resourceVersion: undefined }
  return ownBytes(toJson(custom ? { apiVersion, kind, metadata: own, ...rest } : { kind, apiVersion, metadata: own, ...rest }))
}

/**
 * Bytes that share no memory with others. `Buffer.from` cuts small ones out of slabs, and a slab stays as long as one of its bytes is wanted: a pod that
 * runs for days would hold on to the past states and answers that happened to be written beside its last one.
 */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

/** The fields in Go's order, as everybody is used to see them. */
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

/** The same metadata with its fields in that order; `resourceVersion` is always there. */
export function orderedMeta(metadata: ObjectMeta, resourceVersion = ''): ObjectMeta {
  const ordered: Record<string, unknown> = {}
  for (const field of META_ORDER) {
    if (field === 'resourceVersion') ordered[field] = resourceVersion
    else if (metadata[field] !== undefined) ordered[field] = metadata[field]
  }
  return ordered as ObjectMeta
}

/** Where the revision stands in an object. */
export interface RevisionPlace {
  /** Behind `"metadata":{`. */
  readonly start: number
  /** Behind the members of `metadata` that come before it. */
  readonly at: number
  /** What stands before and behind its text there. */
  readonly before: '' | ','
  readonly behind: '' | ','
}

const QUOTE = 0x22
const COMMA = 0x2c
const CLOSE = 0x7d
/** The members that Go writes before it, all of them texts. */
const BEFORE_REVISION = new Set(META_ORDER.slice(0, META_ORDER.indexOf('resourceVersion')).map((name) => `${name}":"`))
const LONGEST = Math.max(...[...BEFORE_REVISION].map((text) => text.length))

/** Finds the place of the revision in stored bytes. */
export function revisionPlace(value: Buffer): RevisionPlace {
  const start = value.indexOf(METADATA) + METADATA.length
  let at = start
  while (value[at] === QUOTE) {
    const name = value.indexOf(QUOTE, at + 1)
    // `name":"`
    if (name - at + 2 > LONGEST || !BEFORE_REVISION.has(value.toString('latin1', at + 1, name + 3))) break
    let end = name + 3
    for (; value[end] !== QUOTE; end++) if (value[end] === 0x5c) end++
    if (value[end + 1] !== COMMA) return { start, at: end + 1, before: ',', behind: '' }
    at = end + 2
  }
  return { start, at, before: '', behind: value[at] === CLOSE ? '' : ',' }
}

/** Where the object that begins before `at` ends: the place of its closing brace. */
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

/** The reverse of `encodeObject`, with the revision in its place. */
export function decodeObject(value: Buffer, resourceVersion: string): KubeObject {
  const { apiVersion, kind, metadata, ...rest } = parseJson(value.toString()) as KubeObject
  return { apiVersion, kind, metadata: orderedMeta(metadata, resourceVersion), ...rest }
}

/** `JSON.stringify` that also knows `bigint` (integers beyond 2^53, written as they came). */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return JSON.stringify(value, (_key, v) => (typeof v === 'bigint' ? rawJson(String(v)) : v))
  }
}

/** `JSON.parse` that keeps integers beyond 2^53 exactly. */
export function parseJson(text: string): unknown {
  if (hasEscapedKey(text)) return decodeJson(text).value
  if (!LONG_INTEGER.test(text)) return JSON.parse(text)
  const reviver = (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && context?.source !== undefined && /^-?\d+$/.test(context.source)
      ? BigInt(context.source)
      : value
  return JSON.parse(text, reviver)
}
