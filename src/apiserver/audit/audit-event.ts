import { byKey } from '../../base/by-text.ts'
import { microTimestamp } from '../../base/clock.ts'
import { goQuote } from '../../machinery/field-error.ts'
import { encodeJson } from '../../machinery/json/strict-json.ts'
import type { JsonObject } from '../../machinery/object.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import type { AuditLevel, AuditStage } from './policy.ts'

/** What the audit log records of a request at one stage. Bodies are JSON text already: nothing reads them any more. */
export interface AuditEvent {
  readonly level: AuditLevel
  readonly auditID: string
  readonly stage: AuditStage
  readonly requestURI: string
  readonly verb: string
  /** Undefined if the sender is unknown. */
  readonly user: UserInfo | undefined
  readonly impersonatedUser: UserInfo | undefined
  /** `impersonate:user-info`, … */
  readonly impersonationConstraint: string | undefined
  readonly sourceIPs: readonly string[]
  readonly userAgent: string
  readonly objectRef: JsonObject | undefined
  readonly responseStatus: JsonObject | undefined
  readonly requestObject: string | undefined
  readonly responseObject: string | undefined
  /** Milliseconds since the Unix epoch. */
  readonly receivedAt: number
  readonly stageAt: number
  readonly annotations: ReadonlyMap<string, string>
}

const users = new WeakMap<UserInfo, string>()

/** Requests share their users, so the text is cached by user. */
function userJson(user: UserInfo): string {
  let text = users.get(user)
  if (text === undefined) {
    text = JSON.stringify({
      username: user.name || undefined,
      uid: user.uid || undefined,
      groups: user.groups.length === 0 ? undefined : user.groups,
      extra: user.extra === undefined || Object.keys(user.extra).length === 0 ? undefined : sorted(Object.entries(user.extra)),
    })
    users.set(user, text)
  }
  return text
}

const sorted = <T>(entries: readonly (readonly [string, T])[]): Readonly<Record<string, T>> => Object.fromEntries(entries.toSorted(byKey))

/** The members of the event in JSON, without braces, in the order of Kubernetes' type. */
export function eventMembers(event: AuditEvent): string {
  const { objectRef, responseStatus, requestObject, responseObject, annotations } = event
  let text = `"level":"${event.level}","auditID":${JSON.stringify(event.auditID)},"stage":"${event.stage}","requestURI":${JSON.stringify(event.requestURI)},"verb":${JSON.stringify(event.verb)},"user":${event.user === undefined ? '{}' : userJson(event.user)}`
  if (event.impersonatedUser !== undefined) text += `,"impersonatedUser":${userJson(event.impersonatedUser)}`
  if (event.impersonationConstraint !== undefined)
    text += `,"authenticationMetadata":${JSON.stringify({ impersonationConstraint: event.impersonationConstraint })}`
  if (event.sourceIPs.length > 0) text += `,"sourceIPs":${JSON.stringify(event.sourceIPs)}`
  if (event.userAgent !== '') text += `,"userAgent":${JSON.stringify(event.userAgent)}`
  if (objectRef !== undefined) text += `,"objectRef":${JSON.stringify(objectRef)}`
  if (responseStatus !== undefined) text += `,"responseStatus":${encodeJson(responseStatus)}`
  if (requestObject !== undefined) text += `,"requestObject":${requestObject}`
  if (responseObject !== undefined) text += `,"responseObject":${responseObject}`
  text += `,"requestReceivedTimestamp":"${microTimestamp(event.receivedAt)}","stageTimestamp":"${microTimestamp(event.stageAt)}"`
  if (annotations.size > 0) text += `,"annotations":${JSON.stringify(sorted([...annotations]))}`
  return text
}

/** One event, as a line of the log. */
export const eventJson = (event: AuditEvent): string => `{"kind":"Event","apiVersion":"audit.k8s.io/v1",${eventMembers(event)}}`

/** Several events as one `EventList`, the body of a webhook call. */
export const eventListJson = (events: readonly AuditEvent[]): string =>
  `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${events.map((e) => `{${eventMembers(e)}}`).join(',')}]}`

const quotedList = (items: readonly string[]) => items.map(goQuote).join(',')

/** The legacy one-line format (`--audit-log-format=legacy`). */
export function legacyLine(event: AuditEvent): string {
  const { user, impersonatedUser } = event
  const namespace = event.objectRef?.namespace
  const facts: Readonly<Record<string, string>> = {
    id: event.auditID,
    stage: event.stage,
    ip: event.sourceIPs[0] ?? '<unknown>',
    method: event.verb,
    user: user?.name || '<none>',
    groups: user === undefined || user.groups.length === 0 ? '<none>' : quotedList(user.groups),
    as: impersonatedUser?.name ?? '<self>',
    asgroups: impersonatedUser === undefined || impersonatedUser.groups.length === 0 ? '<lookup>' : quotedList(impersonatedUser.groups),
    'user-agent': event.userAgent || '<none>',
    namespace: typeof namespace === 'string' ? namespace : '<none>',
    uri: event.requestURI,
    response: event.responseStatus === undefined ? '<deferred>' : String(event.responseStatus.code),
  }
  const words = Object.entries(facts).map(([name, value]) => `${name}=${goQuote(value)}`)
  return `${microTimestamp(event.receivedAt)} AUDIT: ${words.join(' ')}`
}
