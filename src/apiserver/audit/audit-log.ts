import { type Clock, microTimestamp } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { Json, JsonObject } from '../../machinery/object.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import { type AuditDecision, type Audited, type AuditPolicy, type AuditStage, decideAudit } from './policy.ts'

/** Takes finished lines; must not throw, and must not wait. */
type AuditSink = (line: string) => void

/** One request in the audit log. */
export interface AuditRecord {
  /** Told to the client too, in the header `Audit-Id`. */
  readonly id: string
  /** The answer is written down: tell it. */
  readonly keepsResponse: boolean
  annotate(key: string, value: string): void
  /** The body; of one that is not written down, the name is. */
  request(body: Json): void
  /** The beginning of a stream's answer. */
  started(code: number): void
  /** Only the first call counts. */
  complete(code: number, answer?: Json): void
}

/** What an event tells of the request besides its policy. */
export interface AuditedRequest extends Audited {
  readonly url: string
  readonly apiVersion: string
  readonly sourceIPs: readonly string[]
  readonly userAgent: string
  /** By which the sender wants to find the events. */
  readonly auditId?: string | undefined
  /** Who asked, when they act as `user`. */
  readonly asking?: UserInfo
}

/** Writes `audit.k8s.io/v1` events as JSON lines, by a policy. */
export interface AuditLog {
  /** Undefined: nothing of this request is written down. */
  begin(request: AuditedRequest): AuditRecord | undefined
}

/** An event a stage. Answers and bodies are kept as they are, without managed fields where the policy says so. */
export function createAuditLog(
  policy: AuditPolicy,
  deps: { readonly clock: Clock; readonly random: Random; readonly sink: AuditSink },
): AuditLog {
  return {
    begin(request) {
      const decision = decideAudit(policy, request)
      if (decision.level === 'None') return undefined
      return record(request, decision, deps)
    },
  }
}

function record(
  request: AuditedRequest,
  decision: AuditDecision,
  deps: { readonly clock: Clock; readonly random: Random; readonly sink: AuditSink },
): AuditRecord {
  const received = microTimestamp(deps.clock.now())
  const annotations: Record<string, string> = {}
  const auditID = request.auditId || deps.random.uuid()
  let requestObject: Json | undefined
  let objectMeta: JsonObject = {}
  let done = false
  const write = (stage: AuditStage, more: JsonObject) => {
    if (decision.omitStages.has(stage)) return
    deps.sink(
      JSON.stringify({
        ...eventOf(request, decision, { auditID, objectMeta }),
        ...(requestObject === undefined ? {} : { requestObject }),
        ...more,
        stage,
        requestReceivedTimestamp: received,
        stageTimestamp: microTimestamp(deps.clock.now()),
        ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      }),
    )
  }
  write('RequestReceived', {})
  return {
    id: auditID,
    keepsResponse: decision.level === 'RequestResponse',
    annotate(key, value) {
      if (!Object.hasOwn(annotations, key)) annotations[key] = value
    },
    request(body) {
      objectMeta = metadataOf(body)
      if (decision.level !== 'Metadata') requestObject = decision.omitManagedFields ? withoutManagedFields(body) : body
    },
    started: (code) => write('ResponseStarted', { responseStatus: { metadata: {}, code } }),
    complete(code, answer) {
      if (done) return
      done = true
      const failed = code >= 400 && answer !== null && typeof answer === 'object' && !Array.isArray(answer) && answer.kind === 'Status'
      const responseStatus: JsonObject = failed ? { ...(answer as JsonObject) } : { metadata: {}, code }
      const kept =
        decision.level === 'RequestResponse' && answer !== undefined
          ? { responseObject: decision.omitManagedFields ? withoutManagedFields(answer) : answer }
          : {}
      write('ResponseComplete', { responseStatus, ...kept })
    },
  }
}

function eventOf(
  request: AuditedRequest,
  decision: AuditDecision,
  { auditID, objectMeta }: { readonly auditID: string; readonly objectMeta: JsonObject },
): JsonObject {
  const { resource, asking } = request
  const acting = asking ?? request.user
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: decision.level,
    auditID,
    requestURI: request.url,
    verb: request.verb,
    user: userJson(acting),
    ...(asking === undefined ? {} : { impersonatedUser: userJson(request.user) }),
    sourceIPs: [...request.sourceIPs],
    userAgent: request.userAgent,
    ...(resource === undefined
      ? {}
      : {
          objectRef: {
            resource: resource.resource,
            ...textMember('namespace', resource.namespace || objectMeta.namespace),
            ...textMember('name', resource.name || objectMeta.name),
            ...textMember('uid', objectMeta.uid),
            ...(resource.group === '' ? {} : { apiGroup: resource.group }),
            apiVersion: request.apiVersion,
            ...textMember('resourceVersion', objectMeta.resourceVersion),
            ...(resource.subresource === '' ? {} : { subresource: resource.subresource }),
          },
        }),
  }
}

const userJson = (user: UserInfo): JsonObject => ({
  username: user.name,
  ...(user.uid ? { uid: user.uid } : {}),
  groups: [...user.groups],
  ...(user.extra === undefined ? {} : { extra: Object.fromEntries(Object.entries(user.extra).map(([k, v]) => [k, [...v]])) }),
})

const textMember = (name: string, value: Json | undefined): JsonObject =>
  typeof value === 'string' && value !== '' ? { [name]: value } : {}

function metadataOf(value: Json): JsonObject {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return {}
  const { metadata } = value
  return metadata === null || typeof metadata !== 'object' || Array.isArray(metadata) ? {} : metadata
}

function withoutManagedFields(value: Json): Json {
  if (value === null || typeof value !== 'object' || Array.isArray(value) || value.metadata === undefined) return value
  const { managedFields: _, ...rest } = metadataOf(value)
  return { ...value, metadata: rest }
}
