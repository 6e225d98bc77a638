/** A JSON value. The strict decoder keeps integers beyond 2^53 as `bigint`. */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject
/** A JSON object. */
export interface JsonObject {
  [key: string]: Json | undefined
}

/** `metav1.OwnerReference`: the garbage collector deletes an object when its owners are gone. */
export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

/** `metav1.ManagedFieldsEntry`: the fields that a manager has set. */
export interface ManagedFieldsEntry {
  manager?: string
  operation?: 'Apply' | 'Update'
  apiVersion?: string
  time?: string
  fieldsType?: 'FieldsV1'
  fieldsV1?: JsonObject
  subresource?: string
}

/** `metav1.ObjectMeta`: the metadata of every object. Times are RFC 3339 strings. */
export interface ObjectMeta {
  name?: string
  generateName?: string
  namespace?: string
  selfLink?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string | null
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  ownerReferences?: OwnerReference[]
  finalizers?: string[]
  managedFields?: ManagedFieldsEntry[]
}

/**
 * Any Kubernetes object as JSON. A kind's own type has more fields (`data`, `rules`); if the kind is unknown, read them with `asJson` or
 * `readPath`.
 */
export interface KubeObject<Spec = unknown, Status = unknown> {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
  spec?: Spec
  status?: Status
}

/** A writable copy of a type: no property is read-only, at any depth. */
export type Draft<T> = T extends (...args: never) => unknown
  ? T
  : T extends readonly (infer Item)[]
    ? Draft<Item>[]
    : T extends object
      ? { -readonly [Key in keyof T]: Draft<T[Key]> }
      : T

/** A list of objects, or a page of one: `metadata.continue` is the token of the next page. */
export interface KubeList<T extends KubeObject = KubeObject> {
  apiVersion: string
  kind: string
  metadata: { resourceVersion?: string; continue?: string; remainingItemCount?: number }
  items: T[]
}

/** The type of an object: `{ group: 'apps', version: 'v1', kind: 'Deployment' }`; the core group is `''`. */
export interface GroupVersionKind {
  group: string
  version: string
  kind: string
}

/** A collection: `{ group: 'apps', version: 'v1', resource: 'deployments' }`; the core group is `''`. */
export interface GroupVersionResource {
  group: string
  version: string
  resource: string
}

/** `apps/v1`, or `v1` for the core group. */
export function apiVersionOf(gv: { group: string; version: string }): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`
}

/** The reverse of `apiVersionOf`; undefined for a text with two slashes. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } | undefined {
  const parts = apiVersion.split('/')
  if (parts.length === 1) return { group: '', version: apiVersion }
  if (parts.length === 2) return { group: parts[0] ?? '', version: parts[1] ?? '' }
  return undefined
}

/** `pods`, or `deployments.apps`: a resource with its group in Kubernetes' messages. */
export function qualifiedResource(gr: { group: string; resource: string }): string {
  return gr.group === '' ? gr.resource : `${gr.resource}.${gr.group}`
}

/** True if a value is an object: neither a list nor null. */
export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** An object as JSON: objects of the API contain nothing else. */
export const asJson = (object: object): JsonObject => object as JsonObject

/** A value that was decoded by the schema of a kind, or made from one: it has the fields of every object. */
export const asKubeObject = (json: Json | object): KubeObject => json as KubeObject

/** Freezes a value deeply. A frozen value is assumed to be frozen deeply. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const inner of Object.values(value)) deepFreeze(inner)
  return value
}

/** A deep copy of JSON, which its owner may change. */
export function cloneJson<T>(value: T): Draft<T> {
  if (Array.isArray(value)) {
    const copy = new Array(value.length)
    for (let i = 0; i < value.length; i++) copy[i] = cloneJson(value[i])
    return copy as Draft<T>
  }
  if (value !== null && typeof value === 'object') {
    const copy: Record<string, unknown> = {}
    for (const key in value) {
      const item = (value as Record<string, unknown>)[key]
      setOwn(copy, key, item !== null && typeof item === 'object' ? cloneJson(item) : item)
    }
    return copy as Draft<T>
  }
  return value as Draft<T>
}

/** Reads a field of an object of unknown type by name. Ignores inherited properties. */
export const getOwn = (object: object, key: string): unknown =>
  Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined

/** Copies a field from one object to another; removes it if the source lacks it. */
export function copyOwn(target: object, source: object, key: string): void {
  if (Object.hasOwn(source, key)) setOwn(target, key, getOwn(source, key))
  else Reflect.deleteProperty(target, key)
}

/** Sets a key that a client chose: `__proto__` becomes an own property like any other. */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
  else (target as Record<string, unknown>)[key] = value
}

/** The generation after a change. Some kinds keep the one that a client wrote: 64 bits, which wrap as in Go. */
export function nextGeneration({ generation = 0 }: Readonly<ObjectMeta>): number {
  if (typeof generation === 'number' && generation < Number.MAX_SAFE_INTEGER) return generation + 1
  const next = BigInt.asIntN(64, BigInt(generation) + 1n)
  // The type has no integers beyond 2^53, which are decoded as `bigint`.
  return (Number.isSafeInteger(Number(next)) ? Number(next) : next) as number
}
