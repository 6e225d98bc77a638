/** What JSON can say. Integers beyond 2^53 are kept as `bigint` by the strict decoder. */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject
/** A map of JSON. */
export interface JsonObject {
  [key: string]: Json | undefined
}

/** `metav1.OwnerReference`: whose object this is; it goes when its owners have gone. */
export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

/** `metav1.ManagedFieldsEntry`: which fields a manager has set, and how. */
export interface ManagedFieldsEntry {
  manager?: string
  operation?: 'Apply' | 'Update'
  apiVersion?: string
  time?: string
  fieldsType?: 'FieldsV1'
  fieldsV1?: JsonObject
  subresource?: string
}

/** `metav1.ObjectMeta`: what every object has. Times are RFC 3339 texts. */
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
 * Any Kubernetes object as JSON. A kind's own type has more fields (`data`, `rules`); where the kind is not known they are read with
 * `asJson` or `readPath`.
 */
export interface KubeObject<Spec = unknown, Status = unknown> {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
  spec?: Spec
  status?: Status
}

/** A copy of a value that its owner may change: no property of it is read-only, at any depth. */
export type Draft<T> = T extends (...args: never) => unknown
  ? T
  : T extends readonly (infer Item)[]
    ? Draft<Item>[]
    : T extends object
      ? { -readonly [Key in keyof T]: Draft<T[Key]> }
      : T

/** A list of objects, or a page of one: `metadata.continue` leads to the next. */
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

/** The reverse of `apiVersionOf`; a text with two slashes gives undefined. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } | undefined {
  const parts = apiVersion.split('/')
  if (parts.length === 1) return { group: '', version: apiVersion }
  if (parts.length === 2) return { group: parts[0] ?? '', version: parts[1] ?? '' }
  return undefined
}

/** `pods`, or `deployments.apps`: how Kubernetes writes a resource with its group in messages. */
export function qualifiedResource(gr: { group: string; resource: string }): string {
  return gr.group === '' ? gr.resource : `${gr.resource}.${gr.group}`
}

/** Whether a value is a map: no list, no null. */
export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** An object as JSON: nothing else is in it. */
export const asJson = (object: object): JsonObject => object as JsonObject

/** What was decoded by the schema of a kind, or made from what was: it has the fields that every object has. */
export const asKubeObject = (json: Json | object): KubeObject => json as KubeObject

/** Freezes a value with all that is in it. What is frozen already is taken to be so all through. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const inner of Object.values(value)) deepFreeze(inner)
  return value
}

/** A deep copy of plain JSON, to be changed freely by its owner. */
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

/** A field by its name, where the type of the object is not known. What it inherits is no field of it. */
export const getOwn = (object: object, key: string): unknown =>
  Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined

/** Makes a field of an object what it is in another one, where it may be absent. */
export function copyOwn(target: object, source: object, key: string): void {
  if (Object.hasOwn(source, key)) setOwn(target, key, getOwn(source, key))
  else Reflect.deleteProperty(target, key)
}

/** Assigns a key that came from outside: `__proto__` becomes an own property like any other. */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
  else (target as Record<string, unknown>)[key] = value
}
