import type { DelegateDiscovery } from '../../apiserver/delegate-server.ts'
import type { Logger } from '../../base/logger.ts'
import { decodeJsonInTurns } from '../../machinery/json/strict-json.ts'
import { isObject, type Json, type JsonObject } from '../../machinery/object.ts'
import { NetworkError } from '../services/network-error.ts'
import { rootOf } from './api-service.ts'
import { headerOf } from './forward.ts'
import { AGGREGATOR } from './probe.ts'
import type { RemoteDelegate } from './remote-delegate.ts'

const TIMEOUT_MS = 5_000
/** Size limit of a document. */
const MOST_BYTES = 8 * 1024 * 1024
const ACCEPT =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList'

/** The last result, for comparison, and for use while the delegate is unavailable. */
export interface ReadDiscovery extends DelegateDiscovery {
  readonly etag?: string
}

/**
 * Reads a delegate's discovery document for its group version. Never rejects: if the request fails, the result is `Stale` with the previous
 * resources.
 */
export async function readDiscovery(delegate: RemoteDelegate, before: ReadDiscovery | undefined, log: Logger): Promise<ReadDiscovery> {
  const stale: ReadDiscovery = { ...(before?.resources && { resources: before.resources }), freshness: 'Stale' }
  if (!delegate.available) return stale
  try {
    const known = before?.freshness === 'Current' ? before.etag : undefined
    const headers = { Accept: ACCEPT, ...(known !== undefined && { 'If-None-Match': known }) }
    const answer = await delegate.get({ path: '/apis', user: AGGREGATOR, headers, timeoutMs: TIMEOUT_MS }, MOST_BYTES)
    if (answer.status === 304 && before !== undefined) return before
    if (answer.status === 503) return stale
    const value = answer.status === 200 ? await parsed(answer.body) : undefined
    if (isObject(value) && value.kind === 'APIGroupDiscoveryList') {
      const etag = headerOf(answer.rawHeaders, 'etag')
      const resources = versionIn(value, delegate.spec)
      return { ...(resources && { resources }), freshness: 'Current', ...(etag !== undefined && { etag }) }
    }
    return (await readPlain(delegate)) ?? stale
  } catch (error) {
    if (!(error instanceof NetworkError)) log.warn('the discovery of an aggregated server could not be read', { error })
    return stale
  }
}

/** The fallback for delegates without aggregated discovery. */
async function readPlain(delegate: RemoteDelegate): Promise<ReadDiscovery | undefined> {
  const headers = { Accept: 'application/json' }
  const answer = await delegate.get({ path: rootOf(delegate.spec), user: AGGREGATOR, headers, timeoutMs: TIMEOUT_MS }, MOST_BYTES)
  const value = answer.status === 200 ? await parsed(answer.body) : undefined
  if (!isObject(value) || !Array.isArray(value.resources)) return undefined
  return { resources: convertResources(value.resources, delegate.spec), freshness: 'Current' }
}

async function parsed(body: Buffer): Promise<Json | undefined> {
  try {
    return (await decodeJsonInTurns(body.toString())).value
  } catch {
    return undefined
  }
}

interface GroupVersion {
  readonly group?: string
  readonly version: string
}

/** The resources of a group version in a delegate's document. Other groups in it are ignored. */
function versionIn(list: JsonObject, { group, version }: GroupVersion): readonly JsonObject[] | undefined {
  for (const item of objects(list.items)) {
    if (!isObject(item.metadata) || item.metadata.name !== group) continue
    const found = objects(item.versions).find((v) => v.version === version)
    if (found !== undefined) return objects(found.resources).filter((r) => typeof r.resource === 'string')
  }
  return undefined
}

const objects = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])
const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const texts = (value: Json | undefined): string[] => (Array.isArray(value) ? value.filter((v) => typeof v === 'string') : [])

/** Converts the resources of an `APIResourceList` to the aggregated format, in which subresources are nested. */
export function convertResources(list: readonly Json[], gv: GroupVersion): readonly JsonObject[] {
  const found = new Map<string, JsonObject>()
  const kindOf = (entry: JsonObject): JsonObject => ({
    group: text(entry.group) || (gv.group ?? ''),
    version: text(entry.version) || gv.version,
    kind: text(entry.kind),
  })
  const toEntry = (name: string, entry: JsonObject): JsonObject => {
    const known = found.get(name) ?? { resource: name, scope: entry.namespaced === true ? 'Namespaced' : 'Cluster' }
    found.set(name, known)
    return known
  }
  for (const entry of list.filter(isObject)) {
    const [resource = '', subresource] = text(entry.name).split(/\/(.*)/s)
    if (resource === '') continue
    const known = toEntry(resource, entry)
    const verbs = texts(entry.verbs)
    if (subresource !== undefined) {
      const one = { subresource, ...(text(entry.kind) !== '' && { responseKind: kindOf(entry) }), verbs }
      known.subresources = [...objects(known.subresources), one]
      continue
    }
    const shortNames = texts(entry.shortNames)
    const categories = texts(entry.categories)
    found.set(resource, {
      ...known,
      responseKind: kindOf(entry),
      singularResource: text(entry.singularName),
      verbs,
      ...(shortNames.length > 0 && { shortNames }),
      ...(categories.length > 0 && { categories }),
    })
  }
  return [...found.values()]
}
