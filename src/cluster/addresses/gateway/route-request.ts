import type { IncomingMessage } from 'node:http'
import type { Random } from '../../../base/random.ts'
import { readObject } from '../../../resources/read-objects.ts'
import { SERVICES } from '../../../resources/refs.ts'
import { type DialServiceDeps, dialService } from '../dial-service.ts'
import type { Changes } from '../proxy/forward-request.ts'
import { type Decision, requested } from '../proxy/proxy-server.ts'
import { changedHeaders, locationOf, rewrittenPath } from './apply-filters.ts'
import type { RouteBackend } from './gateway-types.ts'
import { type FoundRule, hostsOf, type RouteTable } from './route-table.ts'

/** What is served on one machine port. */
export interface ServedPort {
  /** The port of the listeners. */
  readonly port: number
  readonly secure: boolean
  /** By the host of the listener; '': all. */
  readonly tables: ReadonlyMap<string, RouteTable>
  readonly refused: ReadonlySet<RouteBackend>
}

/** Where a request goes: the listener of the most specific host decides, then its routes. Undefined: no endpoint takes it. */
export async function routeRequest(request: IncomingMessage, served: ServedPort, deps: DialServiceDeps): Promise<Decision | undefined> {
  const { host, path } = requested(request)
  const { url = '/', method = 'GET', headers } = request
  const table = hostsOf(host)
    .map((each) => served.tables.get(each))
    .find((each) => each !== undefined)
  const query = new URLSearchParams(url.slice(path.length))
  const found = table?.find({ host, method, path, query, headers })
  if (found === undefined) return { kind: 'refuse', code: 404 }
  const { redirect } = found.rule.filters
  if (redirect !== undefined) {
    const scheme = served.secure ? 'https' : 'http'
    const from = { scheme, host, port: request.socket.localPort ?? served.port, path: url }
    return { kind: 'redirect', code: redirect.statusCode, location: locationOf(redirect, from, found.match) }
  }
  const backend = chosen(found.rule.backends, deps.random)
  if (backend?.port === undefined || served.refused.has(backend)) return { kind: 'refuse', code: 500 }
  const service = readObject(deps.reader, SERVICES, backend.namespace, backend.name)
  if (service === undefined) return { kind: 'refuse', code: 500 }
  const connection = await dialService(service, backend.port, deps)
  return connection && { kind: 'forward', connection, changes: changesOf(url, found) }
}

/** One of them, as often as its weight says; undefined: none has any. */
function chosen(backends: readonly RouteBackend[], random: Random): RouteBackend | undefined {
  const total = backends.reduce((sum, { weight }) => sum + weight, 0)
  let at = total === 0 ? 0 : random.int(total)
  return backends.find(({ weight }) => {
    at -= weight
    return at < 0
  })
}

function changesOf(url: string, { rule: { filters }, match }: FoundRule): Changes {
  const { request, response, rewrite } = filters
  const host = rewrite?.hostname
  return {
    ...(rewrite !== undefined && { path: rewrittenPath(url, rewrite, match) }),
    request: (headers) => ({ ...changedHeaders(headers, request), ...(host !== undefined && { host }) }),
    response: (headers) => changedHeaders(headers, response),
  }
}
