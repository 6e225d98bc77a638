import { pathSegmentName } from '../../machinery/names.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import { parseFieldSelector } from '../../machinery/selectors/field-selector.ts'
import { SelectorError } from '../../machinery/selectors/label-requirement.ts'
import { notImplemented } from '../../machinery/status-error.ts'
import type { ServerDeps } from '../deps.ts'
import type { ServerTools } from '../extension-points.ts'
import { act } from './action.ts'
import { parseFlag } from './body/go-values.ts'
import type { Answer, Call, CallDeps, RequestBody, RequestNote } from './call.ts'
import { create } from './create.ts'
import { remove } from './delete/delete.ts'
import { removeCollection } from './delete/delete-collection.ts'
import { patch } from './patch/patch.ts'
import { get } from './read/get.ts'
import { list } from './read/list.ts'
import { watch } from './read/watch.ts'
import { attributesOf, authorize } from './request/authorize.ts'
import type { Query } from './request/query.ts'
import { type PathTarget, type RequestInfo, requestInfo } from './request/request-info.ts'
import { route } from './request/route.ts'
import { scale } from './scale.ts'
import { update } from './update.ts'

/** A request whose sender is known; from a socket or from the same process. */
export interface Inbound {
  readonly info: RequestInfo
  readonly query: Query
  readonly user: UserInfo
  readonly userAgent: string
  readonly body: RequestBody
  readonly signal: AbortSignal
  warn(text: string): void
  annotate(key: string, value: string, level?: 'Request'): void
  readonly audit?: RequestNote | undefined
}

/** What a method and path with these parameters ask for. */
export function readRequest(method: string, path: string, query: Query): RequestInfo {
  return requestInfo(method, path, { watching: parseFlag(query.get('watch')), fieldName: fieldName(query) })
}

/** The name that the field selector pins, if it does and could be one: authorization knows it. */
function fieldName(query: Query): string | undefined {
  const text = query.get('fieldSelector') ?? ''
  if (!text.includes('metadata.name')) return undefined
  try {
    const name = parseFieldSelector(text).exactValue('metadata.name')
    return name !== undefined && pathSegmentName(name).length === 0 ? name : undefined
  } catch (error) {
    if (error instanceof SelectorError) return undefined
    throw error
  }
}

/** What is needed to find out what a request asks for. */
export type ResolveDeps = CallDeps & Pick<ServerDeps, 'metrics'>

/** From authorization to the handler: the call, ready to be handled. Undefined: the path is no resource that anybody serves. */
export async function resolve(deps: ResolveDeps, tools: ServerTools, inbound: Inbound): Promise<Call | undefined> {
  await admit(deps, inbound)
  return callOf(deps, tools, inbound)
}

/** Asks whether the request may be made, and says so to whoever counts and writes down; throws 403. */
export function admit(deps: Pick<ResolveDeps, 'authorizer' | 'metrics'>, inbound: Inbound): void | Promise<void> {
  const { info, user, query } = inbound
  return authorize(deps.authorizer, attributesOf(user, info, query), (decision, reason) => {
    if (decision !== undefined) inbound.annotate('authorization.k8s.io/decision', decision)
    inbound.annotate('authorization.k8s.io/reason', reason)
    deps.metrics?.authorized(decision === 'allow' ? 'allowed' : decision === 'forbid' ? 'denied' : 'error')
  })
}

/** The call that an allowed request is. */
export function callOf(deps: ResolveDeps, tools: ServerTools, inbound: Inbound): Call | undefined {
  const { info } = inbound
  if (info.target === undefined) return undefined
  const found = route(deps.definitions, info, info.target)
  if (found === undefined) return undefined
  const warning = found.served.version.deprecationWarning
  if (warning !== undefined) inbound.warn(warning)
  return new InboundCall({ deps, tools, inbound, target: info.target, found })
}

interface CallInit {
  readonly deps: CallDeps
  readonly tools: ServerTools
  readonly inbound: Inbound
  readonly target: PathTarget
  readonly found: Pick<Call, 'served' | 'subresource'>
}

/** A class: a literal with an accessor and functions of its own costs a kilobyte, and each request makes one. */
class InboundCall implements Call {
  readonly deps: CallDeps
  readonly tools: ServerTools
  readonly served: Call['served']
  readonly target: PathTarget
  readonly subresource: Call['subresource']
  readonly verb: string
  readonly user: UserInfo
  readonly userAgent: string
  readonly query: Query
  readonly body: RequestBody
  readonly audit: RequestNote | undefined
  readonly #inbound: Inbound

  constructor({ deps, tools, inbound, target, found }: CallInit) {
    this.deps = deps
    this.tools = tools
    this.served = found.served
    this.target = target
    this.subresource = found.subresource
    this.verb = inbound.info.verb
    this.user = inbound.user
    this.userAgent = inbound.userAgent
    this.query = inbound.query
    this.body = inbound.body
    this.audit = inbound.audit
    this.#inbound = inbound
  }

  /** Made when somebody asks for it. */
  get signal(): AbortSignal {
    return this.#inbound.signal
  }

  warn(text: string): void {
    this.#inbound.warn(text)
  }

  annotate(key: string, value: string, level?: 'Request'): void {
    this.#inbound.annotate(key, value, level)
  }
}

/** Notes in the audit log that something deprecated was used: Kubernetes does so when the request is over, whatever came of it. */
export function noteDeprecation(call: Call): void {
  const warning = call.served.version.deprecationWarning
  if (warning === undefined) return
  call.annotate('k8s.io/deprecated', 'true')
  const removed = / unavailable in v(\d+\.\d+)\+/.exec(warning)?.[1]
  if (removed !== undefined) call.annotate('k8s.io/removed-release', removed)
}

/** Carries a call out. */
export function handle(call: Call): Promise<Answer> {
  const { subresource } = call
  if (subresource?.kind === 'action') return act(call, subresource)
  if (subresource?.kind === 'scale') return scale(call, subresource)
  switch (call.verb) {
    case 'get':
      return get(call)
    case 'list':
      return list(call)
    case 'watch':
      return watch(call)
    case 'create':
      return create(call)
    case 'update':
      return update(call)
    case 'patch':
      return patch(call)
    case 'delete':
      return remove(call)
    case 'deletecollection':
      return removeCollection(call)
    default:
      throw notImplemented(`the verb ${call.verb}`)
  }
}
