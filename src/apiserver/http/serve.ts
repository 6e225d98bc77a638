import type { Clock } from '../../base/clock.ts'
import { ANONYMOUS, type UserInfo } from '../../machinery/resource/user.ts'
import type { AuditedRequest, AuditRecord } from '../audit/audit-record.ts'
import { sourceIPs } from '../audit/source-ips.ts'
import type { ServingDeps } from '../deps.ts'
import type { ServerTools } from '../extension-points.ts'
import { parseFlag } from '../handlers/body/go-values.ts'
import type { Call, RequestBody } from '../handlers/call.ts'
import { connect } from '../handlers/connect.ts'
import { admit, callOf, handle, noteDeprecation, readRequest } from '../handlers/dispatch.ts'
import { attributesOf } from '../handlers/request/authorize.ts'
import { countedRequest } from '../handlers/request/counted-request.ts'
import { parseQuery, type Query } from '../handlers/request/query.ts'
import type { RequestInfo } from '../handlers/request/request-info.ts'
import type { Credentials } from '../identity/authenticator.ts'
import { type ActingUser, asksToImpersonate, type Impersonation, impersonationWish } from '../identity/impersonation.ts'
import type { RouteCounts } from '../metrics/request-counts.ts'
import { errorFormat, negotiate } from './answer/negotiate.ts'
import { Warnings } from './answer/warnings.ts'
import { openWatchSocket, wantsWatchSocket } from './answer/watch-socket.ts'
import { send, writeAnswer } from './answer/write-answer.ts'
import { writeError, writePlainError } from './answer/write-error.ts'
import type { ZippedSegments } from './answer/zipped-segments.ts'
import { auditedExchange, noteAnswer } from './audited-exchange.ts'
import { answerOf, sourceOf, type Upgrade } from './connection/connect.ts'
import type { Peers } from './connection/peers.ts'
import { isLong, ownLimitMs, requestTimeout } from './connection/request-limit.ts'
import type { TimeLimits } from './connection/time-limits.ts'
import type { Exchange } from './exchange.ts'
import { delegateTimeout, forwardedTo } from './forward.ts'
import { headerText } from './header-value.ts'
import type { PlainPaths } from './plain-paths.ts'
import { readBody } from './read-body.ts'
import { RequestLife } from './request-life.ts'

export interface Serving {
  readonly deps: ServingDeps
  readonly tools: ServerTools
  readonly plain: PlainPaths
  readonly impersonation: Impersonation
  readonly peers: Peers
  readonly segments: ZippedSegments
  /** The time that each request has which is no stream. */
  readonly limits: TimeLimits
  /** The clock of those that ask for less. */
  readonly clock: Clock
}

/** Answers one request from a socket. Never rejects: what goes wrong becomes an answer, and where even that goes wrong the exchange is broken off. */
export async function serve(serving: Serving, exchange: Exchange, upgrade?: Upgrade): Promise<void> {
  try {
    await serveOne(serving, exchange, upgrade)
  } catch (error) {
    serving.deps.log.error('a request could not be answered', { method: exchange.method, url: exchange.url, error })
    exchange.abort()
  }
}

async function serveOne(serving: Serving, exchange: Exchange, upgrade: Upgrade | undefined): Promise<void> {
  // A client that resets its requests as fast as it sends them costs their heads and nothing more.
  if (exchange.gone) return
  const { metrics, clock, random } = serving.deps
  exchange.auditId = auditIdOf(exchange.headers['audit-id']) ?? random.uuid()
  const started = metrics === undefined ? 0 : clock.monotonic()
  const life = new RequestLife(exchange)
  const circumstances: Circumstances = { life, warnings: new Warnings(), upgrade, record: undefined, counts: undefined, guest: false }
  try {
    await answer(serving, exchange, circumstances)
  } catch (error) {
    if (!life.over) await fail(serving, exchange, circumstances, error)
  }
  // A backend that makes requests wait holds the answer back.
  if (circumstances.record?.settled !== undefined) await circumstances.record.settled
  circumstances.counts?.done(exchange.status, (clock.monotonic() - started) / 1000, exchange.sent, exchange.headers['content-length'])
  life.answered()
}

function fail(serving: Serving, exchange: Exchange, { record, warnings }: Circumstances, error: unknown): Promise<void> {
  return writeError(record === undefined ? exchange : auditedExchange(exchange, record), error, {
    log: serving.deps.log,
    warnings,
    kinds: serving.deps.kinds,
    format: errorFormat(exchange.headers.accept, true),
    ...(record && { note: (status) => record.response(status) }),
  })
}

interface Circumstances {
  readonly life: RequestLife
  readonly warnings: Warnings
  readonly upgrade: Upgrade | undefined
  /** What the audit log keeps of the request; undefined when it keeps nothing. */
  record: AuditRecord | undefined
  /** Where the request is counted, once it is known what it asks for. */
  counts: RouteCounts | undefined
  /** Another server answers it. */
  guest: boolean
}

async function answer(serving: Serving, exchange: Exchange, circumstances: Circumstances): Promise<void> {
  const { deps } = serving
  const { life } = circumstances
  const at = exchange.url.indexOf('?')
  const path = decodePath(at < 0 ? exchange.url : exchange.url.slice(0, at))
  if (path === undefined) return exchange.answer(400, { 'content-type': 'text/plain; charset=utf-8' }, '400 Bad Request')
  const query = parseQuery(at < 0 ? '' : exchange.url.slice(at + 1))
  const info = readRequest(exchange.method, path, query)
  const long = isLong(info)
  const asking = await sender(serving, exchange, circumstances, { info, query, long })
  const begun = deps.audit?.begin({ ...auditedRequest(exchange, info, long), user: asking })
  const record = begun instanceof Promise ? await begun : begun
  if (record?.lost === true) return writePlainError(exchange, 'failed to store audit event')
  circumstances.record = record
  const { user, constraint } = await actingUser(serving, exchange, asking, { info, query })
  if (user !== asking) record?.impersonated(user, constraint)
  if (!long) {
    const turn = deps.flow?.enter(
      user,
      () => attributesOf(user, info, query),
      () => life.signal,
    )
    const leave = turn instanceof Promise ? await turn : turn
    if (leave !== undefined) life.hold(leave)
    const over = deps.metrics?.enter(exchange.method)
    if (over !== undefined) life.hold(over)
  }
  // Whoever left while this waited is not worked for.
  if (life.over) return
  await carryOut(serving, record === undefined ? exchange : auditedExchange(exchange, record), { circumstances, path, query, info, user })
}

interface Head {
  readonly info: RequestInfo
  readonly query: Query
  readonly long: boolean
}

/** Who sends this, once it has its time limit; a request that is refused here leaves its answer alone in the audit log. */
async function sender(serving: Serving, exchange: Exchange, circumstances: Circumstances, { info, query, long }: Head): Promise<UserInfo> {
  try {
    if (!long) limit(serving, exchange, circumstances, query)
    return await authenticate(serving, exchange, { path: info.path, warn: (text) => circumstances.warnings.add(text) })
  } catch (error) {
    circumstances.record = serving.deps.audit?.refused(auditedRequest(exchange, info, long))
    throw error
  }
}

/** Gives the request its time: after it, it is answered 504 or broken off, its signal is aborted, and its seat is free. */
function limit(serving: Serving, exchange: Exchange, circumstances: Circumstances, query: Query): void {
  const { life } = circumstances
  const expire = () => {
    if (life.over) return
    const timeout = requestTimeout()
    const begun = exchange.started
    life.expire(timeout)
    if (begun) return exchange.abort()
    if (circumstances.guest) return delegateTimeout(exchange, timeout)
    fail(serving, exchange, circumstances, timeout).then(
      () => exchange.finish(),
      () => exchange.abort(),
    )
  }
  life.within(serving.limits.begin(expire))
  const own = ownLimitMs(query)
  if (own !== undefined) life.within(serving.clock.after(own, expire))
}

interface Admitted {
  readonly circumstances: Circumstances
  readonly path: string
  readonly query: Query
  readonly info: RequestInfo
  readonly user: UserInfo
}

async function carryOut(serving: Serving, exchange: Exchange, admitted: Admitted): Promise<void> {
  const { deps, tools, plain } = serving
  const { path, query, info, user, circumstances } = admitted
  const { warnings, upgrade, record } = circumstances
  const body: RequestBody = { kind: 'bytes', contentType: exchange.headers['content-type'], read: () => readBody(exchange) }
  const inbound = {
    info,
    query,
    user,
    userAgent: exchange.headers['user-agent'] ?? '',
    body,
    get signal() {
      return circumstances.life.signal
    },
    warn: (text: string) => warnings.add(text),
    annotate: (key: string, value: string, level?: 'Request') => record?.annotate(key, value, level),
    audit: record,
  }
  await admit(deps, inbound)
  const guest = deps.delegates?.of(path)
  if (guest !== undefined) {
    circumstances.guest = true
    return forwardedTo(guest, exchange, { path, user, auditId: record?.id ?? exchange.auditId, signal: circumstances.life.signal, upgrade })
  }
  const call = callOf(deps, tools, inbound)
  if (call === undefined) {
    const found = await plain.answer({ method: exchange.method, path, query, headers: exchange.headers, user })
    if (found === undefined) return exchange.answer(404, PLAIN_TEXT, '404 page not found\n')
    circumstances.counts = deps.metrics?.requests.ofPage(path)
    if (record?.keepsResponse === true && isDiscovery(path) && found.body.length > 0)
      record.responseText(Buffer.from(found.body).toString())
    return send(exchange, found.code, found.headers, found.body)
  }
  circumstances.counts = deps.metrics?.requests.of(countedRequest(call))
  circumstances.counts?.begin()
  if (call.subresource?.kind === 'connect') return connect(call, call.subresource, sourceOf(exchange, upgrade), answerOf(exchange))
  const offer = {
    protobuf: call.served.definition.customDefinition === undefined,
    collection: call.target.subresource === '' && (call.verb === 'list' || call.verb === 'watch'),
    streaming: call.verb === 'watch',
    ...(isStored(call) ? {} : { forms: 'metadata' as const }),
  }
  const format = negotiate(exchange.headers.accept, offer, parsePretty(query))
  const result = await handle(call).catch((error: unknown) => {
    noteDeprecation(call)
    throw error
  })
  if (circumstances.life.over) return
  const warning = warnings.values()
  const { segments } = serving
  const rendering = { call, format, segments, counts: circumstances.counts, headers: warning.length === 0 ? NONE : { warning } }
  if (record !== undefined) await noteAnswer(record, result, rendering)
  noteDeprecation(call)
  if (result.kind !== 'watch' || !wantsWatchSocket(exchange, upgrade)) return writeAnswer(exchange, result, rendering)
  const socket = await openWatchSocket(exchange, upgrade, format.encoding)
  if (socket === undefined) result.session.close()
  else await writeAnswer(socket, result, rendering)
}

/** What has tables: objects and their parts, not what is only answered. */
const isStored = ({ served, subresource }: Call) => served.definition.review === undefined && subresource?.kind !== 'action'

const NONE = {}
const PLAIN_TEXT = {
  'cache-control': 'no-cache, private',
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
}

const parsePretty = (query: Query) => {
  const pretty = query.get('pretty')
  return pretty !== undefined && parseFlag(pretty)
}

/** Groups, versions and resources are objects; other pages are not. */
const isDiscovery = (path: string) => path === '/api' || path === '/apis' || path.startsWith('/api/') || path.startsWith('/apis/')

const auditedRequest = (exchange: Exchange, info: RequestInfo, long: boolean): Omit<AuditedRequest, 'user'> => ({
  verb: info.verb,
  path: info.path,
  ...(info.target === undefined ? {} : { resource: info.target }),
  url: exchange.url,
  apiVersion: info.target?.version ?? '',
  sourceIPs: sourceIPs(exchange.headers, exchange.socket.remoteAddress),
  userAgent: exchange.headers['user-agent'] ?? '',
  long,
  auditId: auditIdOf(exchange.headers['audit-id']),
})

const auditIdOf = (header: string | string[] | undefined) => (typeof header === 'string' && header !== '' ? headerText(header) : undefined)

function decodePath(path: string): string | undefined {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/** As whom the request is to be taken. */
async function actingUser(serving: Serving, exchange: Exchange, user: UserInfo, { info, query }: Omit<Head, 'long'>): Promise<ActingUser> {
  // What stands in several headers of one name is a list: as Node joins them it would be one text.
  const wish = asksToImpersonate(exchange.headers) ? impersonationWish(exchange.lists()) : undefined
  return wish === undefined
    ? { user, constraint: undefined }
    : await serving.impersonation.impersonate(wish, attributesOf(user, info, query))
}

async function authenticate({ deps, peers }: Serving, exchange: Exchange, about: Pick<Credentials, 'path' | 'warn'>): Promise<UserInfo> {
  const { headers } = exchange
  const peer = peers.of(exchange.socket, deps.clock.now())
  const proven = peer.kind === 'proven' ? peer.certificate : undefined
  const credentials: Credentials = {
    ...about,
    ...(proven && { certificate: proven }),
    ...(peer.kind === 'wrong' && { wrongCertificate: true }),
    ...(headers.authorization !== undefined && { authorization: headerText(headers.authorization) }),
    // Whom a front proxy names may stand in several headers of one name.
    headers: proven?.authority === 'front-proxy' ? exchange.lists() : headers,
  }
  try {
    const pending = deps.authenticator.authenticate(credentials)
    const user = (pending instanceof Promise ? await pending : pending) ?? ANONYMOUS
    deps.metrics?.authenticated('success', user.name)
    return user
  } catch (error) {
    deps.metrics?.authenticated('failure')
    throw error
  }
}
