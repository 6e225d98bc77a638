import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { internalError, StatusError } from '../../machinery/status-error.ts'
import type { Page, PageResult, ResourceCache } from '../cache/resource-cache.ts'
import { etcdKey } from './etcd-key.ts'

type Unreadable = NonNullable<ReturnType<ResourceCache['unreadable']['first']>>

/** How long clients wait before they list again. */
const RETRY_SECONDS = 2

/** Throws 500 if the object is one that the store cannot read. */
export function assertReadable(cache: ResourceCache, key: string, anyState = false): void {
  const found = cache.unreadable.get(key)
  if (found !== undefined && !(anyState && undecodable(found))) throw undecodable(found) ?? internalError(found.error)
}

/** Throws 429 while a resource has objects that cannot be read: its cache is incomplete. */
export function assertComplete(definition: ResourceDefinition, cache: ResourceCache, anyState = false): void {
  const found = cache.unreadable.first('')
  if (found === undefined) return
  const reason = undecodable(found)
  if (reason !== undefined && anyState) return
  if (reason !== undefined) throw reason
  const what = `failed to list ${goType(definition)}: ${untransformable(definition, found)}`
  throw new StatusError({
    code: 429,
    reason: 'TooManyRequests',
    message: `storage is (re)initializing: ${what}`,
    details: { retryAfterSeconds: RETRY_SECONDS },
    cause: found.error,
  })
}

/** A page that ends before the first unreadable object is complete. */
export function assertPageReadable(
  definition: ResourceDefinition,
  cache: ResourceCache,
  { filter, anyState }: Page,
  { next }: PageResult,
): void {
  const found = cache.unreadable.first(filter.prefix, next)
  if (found !== undefined && !(anyState === true && undecodable(found)))
    throw undecodable(found) ?? internalError(untransformable(definition, found))
}

/** Throws 500 if any object under the prefix cannot be read. */
export function assertAllReadable(definition: ResourceDefinition, cache: ResourceCache, prefix: string): void {
  const found = cache.unreadable.first(prefix)
  if (found !== undefined) throw undecodable(found) ?? internalError(untransformable(definition, found))
}

/** Undefined: the value is encrypted, and may be an object. */
const undecodable = ({ error }: Pick<Unreadable, 'error'>): StatusError | undefined =>
  error.code === 'undecodable' ? new StatusError({ code: 500, message: error.message, cause: error }) : undefined

function untransformable(definition: ResourceDefinition, { key, error }: Unreadable): string {
  const slash = key.indexOf('/')
  const at = etcdKey(definition, key.slice(0, Math.max(0, slash)), key.slice(slash + 1))
  return `unable to transform key ${JSON.stringify(at)}: ${error.message}`
}

/** The name of upstream's type: `*core.Secret`. */
function goType({ customDefinition, group, names }: ResourceDefinition): string {
  if (customDefinition !== undefined) return '*unstructured.Unstructured'
  return `*${group === '' ? 'core' : group.split('.', 1)[0]}.${names.kind}`
}
