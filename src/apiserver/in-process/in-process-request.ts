import type { IncomingHttpHeaders } from 'node:http'
import { type ApiCall, METHOD, type Target } from '../../machinery/api-call.ts'
import { programOf, type UserInfo } from '../../machinery/resource/user.ts'
import { badRequest } from '../../machinery/status-error.ts'
import { type Connection, PipelineRequest } from '../pipeline/pipeline-request.ts'
import type { Query } from '../request/query.ts'
import { fieldName } from '../request/read-request.ts'
import { NO_BODY, type RequestBody } from '../request/request-body.ts'
import type { RequestInfo } from '../request/request-info.ts'

/** A call of a client of the same process. */
export interface InProcessCall {
  readonly info: RequestInfo
  readonly query: Query
  /** The parameters of the query; the audit log shows them as text. */
  readonly search?: Readonly<Record<string, string>>
  readonly body?: RequestBody
  readonly headers?: IncomingHttpHeaders
  readonly signal?: AbortSignal | undefined
  readonly connection?: Connection
}

const NEVER = new AbortController().signal
const NO_HEADERS: IncomingHttpHeaders = {}

/** A request from a client of the same process: its sender is known, its body is an object, and its warnings are dropped. */
export class InProcessRequest extends PipelineRequest {
  /** On the monotonic clock. */
  readonly startedMs: number
  readonly body: RequestBody
  readonly #call: InProcessCall

  constructor(user: UserInfo, startedMs: number, call: InProcessCall) {
    super(call.info, call.query)
    this.startedMs = startedMs
    this.body = call.body ?? NO_BODY
    this.#call = call
    this.authenticated(user)
  }

  get headers(): IncomingHttpHeaders {
    return this.#call.headers ?? NO_HEADERS
  }

  get userAgent(): string {
    return programOf(this.user)
  }

  get url(): string {
    const search = new URLSearchParams(this.#call.search).toString()
    return search === '' ? this.info.path : `${this.info.path}?${search}`
  }

  get sourceIPs(): readonly string[] {
    return []
  }

  get auditId(): string | undefined {
    return this.trail?.id
  }

  get signal(): AbortSignal {
    return this.#call.signal ?? NEVER
  }

  /** An aborted call is completed like any other: only its caller stops waiting. */
  get over(): boolean {
    return false
  }

  warn(): void {}

  connection(): Connection {
    if (this.#call.connection === undefined) throw badRequest(`${this.info.path} is a stream: it is reached by a connection`)
    return this.#call.connection
  }
}

/** The request info of a call. */
interface InfoOf {
  readonly verb: ApiCall['verb']
  readonly target: Target
  readonly query?: ApiCall['query']
}

export function infoOf({ verb, target, query }: InfoOf): RequestInfo {
  const { group, version, resource, namespace = '', name = '', subresource = '' } = target
  let path = `${group === '' ? '/api' : `/apis/${group}`}/${version}`
  if (namespace !== '') path += `/namespaces/${namespace}`
  path += `/${resource}`
  if (name !== '') path += `/${name}`
  if (subresource !== '') path += `/${subresource}`
  const namespaced = namespace !== ''
  const selected = verb === 'list' || verb === 'watch' ? (fieldName(query?.fieldSelector) ?? '') : ''
  return {
    path,
    method: METHOD[verb],
    verb,
    target: { group, version, namespace, namespaced, resource, name: name || selected, subresource, rest: '', prefix: '' },
  }
}
