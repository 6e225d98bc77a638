import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { Later } from '../../base/steps.ts'
import { showGoDuration } from '../../machinery/go/go-duration.ts'
import { decodeJson, encodeJson, JsonSyntaxError } from '../../machinery/json/strict-json.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import type { Request } from '../request/request.ts'
import type { RequestAudit } from '../request/request-audit.ts'
import type { AuditBackend } from './audit-backend.ts'
import type { AuditEvent } from './audit-event.ts'
import { withoutManagedFields } from './managed-fields.ts'
import type { AuditDecision, AuditStage } from './policy.ts'

/** The parts of a request that its events show. */
export type AuditedRequest = Pick<Request, 'info' | 'sender' | 'url' | 'sourceIPs' | 'userAgent' | 'long' | 'auditId'>

/** Bytes of a user agent that are kept, as in Kubernetes. */
const MOST_AGENT = 1024
const CUT = '...TRUNCATED'

/** A request that took longer has an annotation that says how long. */
const SLOW_MS = 500

/** Longer audit ids chosen by the client are cut in the response header. */
const MOST_ID = 64

/** The record of one request. With a blocking backend, the response waits for `delivered`. */
export class AuditRecord implements RequestAudit {
  /** The backend refused the event of the request's arrival: the request must be refused. */
  lost = false
  readonly keepsRequest: boolean
  readonly keepsResponse: boolean
  readonly #request: AuditedRequest
  readonly #decision: AuditDecision
  readonly #stages: 'all' | 'answer'
  readonly #deps: { readonly clock: Clock; readonly backend: AuditBackend }
  readonly #id: string
  /** Read when the record begins: a closed socket has no address. */
  readonly #sourceIPs: readonly string[]
  readonly #receivedAt: number
  readonly #annotations = new Map<string, string>()
  #impersonated: UserInfo | undefined
  #constraint: string | undefined
  #objectMeta: Readonly<Record<string, string | undefined>> = {}
  #requestObject: string | undefined
  #responseObject: string | undefined
  #status: JsonObject | undefined
  #unwritable = false
  #begun = false
  #done = false
  #pending: Promise<unknown> | undefined

  constructor(
    request: AuditedRequest,
    decision: AuditDecision,
    stages: 'all' | 'answer',
    deps: { readonly clock: Clock; readonly random: Random; readonly backend: AuditBackend },
  ) {
    this.#request = request
    this.#decision = decision
    this.#stages = stages
    this.#deps = deps
    this.#id = request.auditId || deps.random.uuid()
    this.#sourceIPs = request.sourceIPs
    this.#receivedAt = deps.clock.now()
    this.keepsResponse = decision.level === 'RequestResponse'
    this.keepsRequest = this.keepsResponse || decision.level === 'Request'
  }

  get id(): string {
    return this.#id.slice(0, MOST_ID)
  }

  get delivered(): Promise<unknown> | undefined {
    return this.#pending
  }

  /** Emits the `RequestReceived` event. */
  received(): Later<void> {
    const taken = this.#write('RequestReceived')
    if (!(taken instanceof Promise)) this.lost = !taken
    else
      return taken.then((ok) => {
        this.lost = !ok
      })
  }

  /** The sender is unknown. The Status of the response, if there is one, replaces the message. */
  refused(message: string): void {
    this.#status = { metadata: {}, message }
  }

  annotate(key: string, value: string, level?: 'Request'): void {
    if (level === 'Request' && !this.keepsRequest) return
    if (!this.#annotations.has(key)) this.#annotations.set(key, value)
  }

  impersonated(user: UserInfo, constraint: string | undefined): void {
    this.#impersonated = user
    this.#constraint = constraint
  }

  object(object: KubeObject): void {
    // These values are copied now, because later stages fill in the object.
    const { namespace, name, uid, resourceVersion } = object.metadata
    this.#objectMeta = { namespace, name, uid, resourceVersion }
    if (this.keepsRequest) this.#requestObject = encodeJson(this.#decision.omitManagedFields ? withoutManagedFields(object) : object)
  }

  options(options: object): void {
    if (this.keepsRequest) this.#requestObject = encodeJson(options)
  }

  /**
   * The body of a patch request. A body that is not JSON (an apply patch in YAML) cannot be part of an event, and the event is dropped, as
   * in Kubernetes.
   */
  patch(text: string): void {
    if (!this.keepsRequest) return
    try {
      this.#requestObject = encodeJson(decodeJson(text).value)
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error
      this.#unwritable = true
    }
  }

  /** The response as an object, a list, a table, or a Status. Every audit level records a Status. */
  response(object: object): void {
    const { kind } = object as { kind?: unknown }
    if (kind === 'Status') this.#status = statusFacts(object as JsonObject)
    if (this.keepsResponse) this.#responseObject = encodeJson(this.#decision.omitManagedFields ? withoutManagedFields(object) : object)
  }

  /** The response as JSON text, which is not parsed. */
  responseText(json: string): void {
    this.#responseObject = this.#decision.omitManagedFields ? encodeJson(withoutManagedFields(JSON.parse(json))) : json.trimEnd()
  }

  started(code: number): void {
    if (this.#begun || this.#done) return
    this.#begun = true
    this.#status = { metadata: {}, ...this.#status, code }
    if (this.#stages === 'answer' || this.#request.long) this.#keep(this.#write('ResponseStarted'))
  }

  complete(code: number): void {
    if (this.#done) return
    if (code === 0) this.#status = { metadata: {}, status: 'Success', message: 'Connection closed early' }
    this.started(code === 0 ? 200 : code)
    this.#done = true
    const tookMs = this.#deps.clock.now() - this.#receivedAt
    if (!this.#request.long && tookMs > SLOW_MS) this.annotate('apiserver.latency.k8s.io/total', showGoDuration(tookMs))
    if (this.#stages === 'all') this.#keep(this.#write('ResponseComplete'))
  }

  #keep(taken: Later<boolean>): void {
    if (taken instanceof Promise) this.#pending = Promise.all([this.#pending, taken])
  }

  #write(stage: AuditStage): Later<boolean> {
    if (this.#decision.omitStages.has(stage) || this.#unwritable) return true
    return this.#deps.backend.process([this.#event(stage)])
  }

  #event(stage: AuditStage): AuditEvent {
    const request = this.#request
    return {
      level: this.#decision.level,
      auditID: this.#id,
      stage,
      requestURI: request.url,
      verb: request.info.verb,
      user: request.sender,
      impersonatedUser: this.#impersonated,
      impersonationConstraint: this.#constraint,
      sourceIPs: this.#sourceIPs,
      userAgent: shortAgent(request.userAgent),
      objectRef: this.#objectRef(),
      responseStatus: this.#status,
      requestObject: this.#requestObject,
      responseObject: this.#responseObject,
      receivedAt: this.#receivedAt,
      stageAt: this.#deps.clock.now(),
      annotations: new Map(this.#annotations),
    }
  }

  #objectRef(): JsonObject | undefined {
    const { target } = this.#request.info
    if (target === undefined) return undefined
    const meta = this.#objectMeta
    const ref: Record<string, string> = {}
    const put = (name: string, value: string | undefined) => {
      if (value !== undefined && value !== '') ref[name] = value
    }
    put('resource', target.resource)
    put('namespace', target.namespace || meta.namespace)
    put('name', target.name || meta.name)
    put('uid', meta.uid)
    put('apiGroup', target.group)
    put('apiVersion', target.version)
    put('resourceVersion', meta.resourceVersion)
    put('subresource', target.subresource)
    return ref
  }
}

function shortAgent(agent: string): string {
  const bytes = Buffer.from(agent)
  return bytes.length > MOST_AGENT ? bytes.subarray(0, MOST_AGENT).toString() + CUT : agent
}

/** The fields of a Status that events of every level contain. */
function statusFacts(status: JsonObject): JsonObject {
  const facts: Record<string, JsonObject[string]> = { metadata: {} }
  for (const name of ['status', 'message', 'reason', 'details', 'code']) if (status[name] !== undefined) facts[name] = status[name]
  return facts as JsonObject
}
