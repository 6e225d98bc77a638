import { exposition } from '../../base/exposition.ts'
import type { Later } from '../../base/steps.ts'
import { withoutTrailing } from '../../base/without-trailing.ts'
import type { ServerConfig, ServerDeps } from '../deps.ts'
import { isCustomGroup, methodNotAllowedHere, noResource } from '../handlers/route.ts'
import { encode, prettyJson } from '../http/response/encode.ts'
import { aggregatedFormat, JSON_FORMAT, negotiate, requireProduced, requireRoute, wantsPretty } from '../http/response/negotiate.ts'
import type { Kinds } from '../kinds.ts'
import type { PlainPaths, PlainRequest, PlainResponse, TypedPage } from '../request/plain-paths.ts'
import { type AggregatedDocument, aggregatedDocuments, type DiscoveryView } from './aggregated.ts'
import { debugPage } from './debug-pages.ts'
import { versionsOf } from './groups.ts'
import { type Ailments, type HealthChecks, health, healthChecks, healthFamily } from './health.ts'
import { indexPaths } from './index-paths.ts'
import { openapiPaths } from './openapi.ts'
import { groupList, groupOf, legacyGroup, resourceList } from './resources.ts'
import { versionInfo } from './version.ts'
import { statusPage, zpage } from './zpages.ts'

type Page = (request: PlainRequest) => Later<PlainResponse | undefined>

/** The non-resource paths. */
export function plainPaths(config: ServerConfig, deps: Ailing, address: () => string): PlainPaths {
  const { definitions } = deps
  const checks = healthChecks(deps.flow?.isFair ?? true)
  const documents = aggregatedDocuments(deps)
  const openapi = openapiPaths(deps)
  const version = getOnly(() => versionInfo(config.gitVersion))
  const api = discoveryPage(deps.kinds, documents, true, () => legacyGroup(address()))
  const apis = discoveryPage(deps.kinds, documents, false, () => groupList(definitions, deps.delegates))
  const index: Page = () => jsonResponse(indexPaths(definitions, checks, deps.delegates))
  const pages: Readonly<Record<string, Page>> = {
    '/': index,
    '/index.html': index,
    '/version': version,
    '/version/': version,
    '/api': (request) => (request.method === 'GET' ? api(request) : refuse()),
    '/api/': (request) => (request.method === 'GET' ? api(request) : refuse()),
    '/apis': apis,
    '/apis/': (request) => encoded(deps.kinds, groupList(definitions, deps.delegates), request, true),
    ...metricsPages(deps, checks),
    '/statusz': statusPage(deps.clock, config.gitVersion),
    '/flagz': zpage('Flagz', () => ({ flags: {} })),
    ...typedPages(deps.pages ?? {}),
  }
  return {
    async answer(request) {
      const { path } = request
      const page = Object.hasOwn(pages, path) ? pages[path] : undefined
      if (page !== undefined) return page(request)
      const { healthChecks: more = [] } = deps
      const checked = health(path, request.query, { look: () => ailments(deps), checks, more })
      return checked ?? debugPage(request) ?? (await openapi(request)) ?? groupPath(deps, request)
    },
  }
}

interface Ailing extends ServerDeps {
  readonly stopping?: () => boolean
}

async function ailments({ watchCache, stopping, healthChecks = [] }: Ailing): Promise<Ailments> {
  const away = watchCache.failed.aborted ? 'the store is gone' : (await watchCache.storeResponds()) ? undefined : STORE_AWAY
  const checked = await Promise.all(healthChecks.map(async ({ name, check }) => [name, await check()] as const))
  return new Map([
    ...incomplete(watchCache),
    ...checked.filter((one): one is readonly [string, string] => one[1] !== undefined),
    ...(away === undefined
      ? []
      : ([
          ['etcd', away],
          ['etcd-readiness', away],
        ] as const)),
    ...(stopping?.() === true ? [['shutdown', 'process is shutting down'] as const] : []),
  ])
}

/** Why a check of etcd fails. */
export const STORE_AWAY = 'error getting data from etcd: context deadline exceeded'

/** While an object cannot be read, the cache of its resource is not filled. */
function incomplete(watchCache: Ailing['watchCache']): (readonly [check: string, why: string])[] {
  const caches = [...watchCache.caches()].filter(({ unreadable }) => unreadable.mayRecover)
  if (caches.length === 0) return []
  const why = `caches are not filled: ${caches.map(({ resource }) => resource).join(', ')}`
  return ['informer-sync', 'poststarthook/storage-readiness'].map((check) => [check, why])
}

function metricsPages(deps: Ailing, checks: HealthChecks): Record<string, Page> {
  const headers = {
    'content-type': 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores',
    'cache-control': 'no-cache, private',
    'process-start-time-unix': String(Math.floor(deps.clock.now() / 1000)),
  }
  const page = (text: () => Later<string>): Page => {
    return async () => ({ code: 200, headers, body: await text() })
  }
  return {
    '/metrics': page(() => deps.metrics?.text() ?? ''),
    '/metrics/slis': page(async () => exposition([healthFamily(checks, await ailments(deps))])),
  }
}

/** The pages of the deps, with the method and the Accept header checked as Kubernetes' router does. */
function typedPages(pages: Readonly<Record<string, TypedPage>>): Record<string, Page> {
  const checked = (page: TypedPage): Page => {
    return ({ method, headers }) => {
      if (method !== 'GET') refuse()
      requireProduced(headers.accept, page.type)
      return page.answer()
    }
  }
  return Object.fromEntries(Object.entries(pages).map(([path, page]) => [path, checked(page)]))
}

function refuse(): never {
  throw methodNotAllowedHere()
}

const getOnly =
  (make: () => unknown): Page =>
  ({ method, headers }) => {
    if (method !== 'GET') refuse()
    requireProduced(headers.accept, 'application/json')
    return jsonResponse(make())
  }

const jsonResponse = (value: unknown): PlainResponse => ({
  code: 200,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private' },
  // Kubernetes indents these for every client.
  body: prettyJson(value),
})

/** `unrouted`: Kubernetes' aggregator and custom resources serve the path, not its router. */
async function encoded(kinds: Kinds, value: unknown, request: PlainRequest, unrouted: boolean): Promise<PlainResponse> {
  const { accept } = request.headers
  const offer = { protobuf: true, collection: false, streaming: false, forms: 'none', unrouted } as const
  const format = negotiate(accept, offer, wantsPretty(request.query, request.headers))
  const { body, type } = await encode(value, format, kinds)
  const headers = { 'content-type': type, 'cache-control': 'no-cache, private' }
  return { code: 200, headers, body, json: async () => (await encode(value, JSON_FORMAT, kinds)).body }
}

/** Discovery at `/api` and `/apis`: the aggregated document for clients that accept it, the older one for others. */
function discoveryPage(
  kinds: Kinds,
  documents: (view: DiscoveryView) => Promise<AggregatedDocument>,
  core: boolean,
  plain: () => unknown,
): Page {
  return async (request) => {
    const { accept = '', 'if-none-match': known } = request.headers
    if (core) requireRoute(accept, { protobuf: true, collection: false, streaming: false })
    const aggregated = aggregatedFormat(accept)
    if (aggregated === undefined) return encoded(kinds, plain(), request, !core)
    const { body, etag } = await documents(core ? 'core' : aggregated.withoutPeers ? 'groups' : 'groups of all servers')
    const headers = { 'content-type': aggregated.type, etag: `"${etag}"`, vary: 'Accept', 'cache-control': 'public' }
    if (known === headers.etag) return { code: 304, headers, body: '' }
    return { code: 200, headers, body: await body(aggregated.encoding), json: () => body('json') }
  }
}

/** `/api/VERSION`, `/apis/GROUP` and `/apis/GROUP/VERSION`; undefined for other paths and unknown groups. */
async function groupPath({ definitions, kinds, delegates }: ServerDeps, request: PlainRequest): Promise<PlainResponse | undefined> {
  const [empty, root, ...rest] = withoutTrailing(request.path, '/').split('/')
  if (root === 'version' && rest.length > 0) throw noResource()
  if (empty !== '' || (root !== 'api' && root !== 'apis')) return undefined
  const group = root === 'api' ? '' : (rest.shift() ?? '')
  // A group that the list of groups does not contain is not found, whatever is served below it.
  if (root === 'apis' && rest.length === 0) {
    const listed = groupOf(definitions, group, delegates)
    if (listed === undefined) return undefined
    // Kubernetes' aggregator responds itself, to every method.
    return encoded(kinds, listed, request, true)
  }
  // The core group is not below `/apis`.
  if (root === 'apis' && (group === '' || !definitions.hasGroup(group))) return undefined
  // Unknown paths of custom groups are not found.
  if (
    root === 'apis' &&
    isCustomGroup(definitions, group) &&
    (rest.length > 1 || (rest.length === 1 && !versionsOf(definitions, group).includes(rest[0] ?? '')))
  )
    return undefined
  const [version] = rest
  if (rest.length > 1) throw noResource()
  const found = version === undefined ? undefined : resourceList(definitions, group, version)
  if (found === undefined) throw noResource()
  const isCustom = isCustomGroup(definitions, group)
  // That of custom resources responds to every method.
  if (request.method !== 'GET' && !isCustom) refuse()
  return encoded(kinds, found, request, isCustom)
}
