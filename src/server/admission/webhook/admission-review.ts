import type { AdmissionRequest } from '../../../apiserver/admission/plugin.ts'
import { messageOf } from '../../../base/message-of.ts'
import { giveTurn } from '../../../base/turns.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import { decodeJsonPatch, type JsonPatchOperation, LIBRARY_TYPES } from '../../../machinery/json/json-patch.ts'
import { decodeJsonInTurns } from '../../../machinery/json/strict-json.ts'
import { apiVersionOf, asJson, isObject, type Json, type JsonObject, type KubeObject } from '../../../machinery/object.ts'
import type { UserInfo } from '../../../machinery/resource/user.ts'
import { type Status, StatusError } from '../../../machinery/status-error.ts'
import { schemaByOpenapiName } from '../../../resources/schema.ts'
import { decodeReview } from './decode-review.ts'
import { WebhookError } from './webhook-client.ts'

/** The objects of a request in the version that the webhook matches. */
export interface ReviewObjects {
  readonly version: string
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
}

/** The review that is sent to an admission webhook. */
export function admissionReview(uid: string, reviewVersion: string, request: AdmissionRequest, seen: ReviewObjects): JsonObject {
  const { group, resource } = request.resource
  return {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${reviewVersion}`,
    request: {
      uid,
      kind: { ...request.kind, ...(request.kind.group === group ? { version: seen.version } : {}) },
      resource: { group, version: seen.version, resource },
      ...(request.subresource === '' ? {} : { subResource: request.subresource }),
      requestKind: { ...request.kind },
      requestResource: { ...request.resource },
      ...(request.subresource === '' ? {} : { requestSubResource: request.subresource }),
      ...(request.name === '' ? {} : { name: request.name }),
      ...(request.namespace === '' ? {} : { namespace: request.namespace }),
      operation: request.operation,
      userInfo: userJson(request.user),
      object: seen.object === undefined ? null : asJson(seen.object),
      oldObject: seen.oldObject === undefined ? null : asJson(seen.oldObject),
      dryRun: request.dryRun,
      // Connect requests have no options: they are the object.
      options: request.operation === 'CONNECT' ? null : asJson(request.options),
    },
  }
}

const userJson = (user: UserInfo): JsonObject => ({
  username: user.name,
  ...(user.uid ? { uid: user.uid } : {}),
  groups: [...user.groups],
  ...(user.extra === undefined ? {} : { extra: Object.fromEntries(Object.entries(user.extra).map(([k, v]) => [k, [...v]])) }),
})

/** A well-formed response of a webhook. */
export interface WebhookVerdict {
  readonly allowed: boolean
  readonly status: JsonObject | undefined
  /** Of a mutating webhook: in base64 (parse it with `readPatch`), and its type. */
  readonly patch: { readonly base64: string; readonly type: string } | undefined
  readonly warnings: readonly string[]
  readonly annotations: Readonly<Record<string, string>>
}

/** Parses the response. Throws `WebhookError` if it is malformed. */
export function readVerdict(answer: JsonObject, uid: string, reviewVersion: string, mutating: boolean): WebhookVerdict {
  const invalid = (why: string) => new WebhookError(`received invalid webhook response: ${why}`)
  const schema = schemaByOpenapiName('io.k8s.api.admission.v1.AdmissionReview')
  const response = decodeReview(answer, { group: 'admission.k8s.io', version: reviewVersion, kind: 'AdmissionReview', schema })
  if (response === undefined) throw invalid('webhook response was absent')
  const checked = reviewVersion === 'v1'
  if (checked && response.uid !== uid) throw invalid(`expected response.uid=${goQuote(uid)}, got ${goQuote(text(response.uid))}`)
  const fault = checked ? patchFault(response, mutating) : undefined
  if (fault !== undefined) throw invalid(fault)
  const base64 = text(response.patch)
  return {
    allowed: response.allowed === true,
    status: isObject(response.status) ? response.status : undefined,
    // Webhooks of v1beta1 need not name the type.
    patch: mutating && base64 !== '' ? { base64, type: checked ? text(response.patchType) : 'JSONPatch' } : undefined,
    warnings: Array.isArray(response.warnings) ? response.warnings.map(String) : [],
    annotations: Object.fromEntries(Object.entries((response.auditAnnotations ?? {}) as JsonObject).map(([k, v]) => [k, String(v)])),
  }
}

const text = (value: Json | undefined) => (typeof value === 'string' ? value : '')

/** Patch and type come together, and from mutating webhooks alone. */
function patchFault(response: JsonObject, mutating: boolean): string | undefined {
  const hasPatch = text(response.patch) !== ''
  const { patchType = null } = response
  if (!mutating) {
    if (hasPatch) return 'validating webhook may not return response.patch'
    return patchType === null ? undefined : 'validating webhook may not return response.patchType'
  }
  if (hasPatch && patchType === null) return 'webhook returned response.patch but not response.patchType'
  if (!hasPatch && patchType !== null) return 'webhook returned response.patchType but not response.patch'
  return patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined
}

/** Patches of this length are parsed in several turns. */
const LARGE_PATCH = 256 * 1024

/** The operations of a response's patch. Throws `WebhookError` if it is malformed. */
export async function readPatch(base64: string): Promise<readonly JsonPatchOperation[]> {
  const large = base64.length > LARGE_PATCH
  const text = Buffer.from(base64, 'base64').toString()
  if (large) await giveTurn()
  let json: Json
  try {
    json = (await decodeJsonInTurns(text)).value
  } catch {
    throw new WebhookError(`received undecodable patch in webhook response: ${goSyntaxError(text)}`)
  }
  if (large) await giveTurn()
  let operations: readonly JsonPatchOperation[]
  try {
    operations = decodeJsonPatch(json, LIBRARY_TYPES)
  } catch (error) {
    throw new WebhookError(`received undecodable patch in webhook response: ${messageOf(error)}`)
  }
  if (large) await giveTurn()
  return operations
}

/** Go's JSON syntax error for text that begins like a literal, or not at all. */
function goSyntaxError(text: string): string {
  const start = text.trimStart()
  for (const literal of ['null', 'true', 'false']) {
    if (start[0] !== literal[0]) continue
    let i = 0
    while (i < literal.length && start[i] === literal[i]) i++
    if (i < literal.length && i < start.length) return `invalid character '${start[i]}' in literal ${literal} (expecting '${literal[i]}')`
  }
  return start === '' ? 'unexpected end of JSON input' : `invalid character '${start[0]}' looking for beginning of value`
}

/** The Status for a request that a webhook denied: the webhook's own, marked as a failure. */
export function denial(hook: string, status: JsonObject | undefined): StatusError {
  const by = `admission webhook ${goQuote(hook)} denied the request`
  const reason = text(status?.reason)
  const message = text(status?.message)
  const code = denialCode(status?.code)
  const why = message !== '' ? `${by}: ${message}` : reason !== '' ? `${by}: ${reason}` : `${by} without explanation`
  const { details, metadata } = status ?? {}
  return new StatusError({
    code,
    message: why,
    ...(reason === '' ? {} : { reason: reason as NonNullable<Status['reason']> }),
    ...(isObject(details) ? { details: details as NonNullable<Status['details']> } : {}),
    ...(isObject(metadata) ? { metadata } : {}),
  })
}

/** A denial needs a failure code; invalid codes become 500. */
const denialCode = (said: Json | undefined): number => {
  if (typeof said !== 'number' || said < 400) return 400
  return said > 599 ? 500 : said
}

export const reviewVersionOf = (versions: readonly string[] | undefined): string | undefined =>
  (versions ?? ['v1']).find((v) => v === 'v1' || v === 'v1beta1')
export const objectVersion = (group: string, version: string): string => apiVersionOf({ group, version })
