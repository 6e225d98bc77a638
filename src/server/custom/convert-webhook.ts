import type { Random } from '../../base/random.ts'
import { equalJson } from '../../machinery/equal.ts'
import { type FieldError, faultText, goQuote } from '../../machinery/field-error.ts'
import { goJsonWord } from '../../machinery/go/go-json-word.ts'
import { encodeJson } from '../../machinery/json/strict-json.ts'
import { asJson, cloneJson, isObject, type Json, type JsonObject, type KubeObject, setOwn } from '../../machinery/object.ts'
import type { Converter } from '../../machinery/resource/definition.ts'
import { goTypeName } from '../../machinery/schema/go-print.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { validateAnnotations, validateLabels } from '../../machinery/validation/object-meta.ts'
import type { Conversion } from '../../resources/apiextensions/types.ts'
import { builtinSchema } from '../../resources/schema.ts'
import type { WebhookClientConfig } from '../../resources/types/admissionregistration.ts'
import { decodeReview } from '../admission/webhook/decode-review.ts'
import { type WebhookClient, WebhookError } from '../admission/webhook/webhook-client.ts'

const TIMEOUT_SECONDS = 30
const OURS = ['v1', 'v1beta1']
const review = builtinSchema('apiextensions.k8s.io', 'v1', 'ConversionReview')

export interface ConversionDeps {
  readonly client: WebhookClient
  readonly random: Random
}

/** Converts by a webhook. Objects that are in the wanted version already are not sent. */
export function webhookConverter(conversion: Conversion, kind: string, deps: ConversionDeps): Converter {
  const version = (conversion.webhook?.conversionReviewVersions ?? []).find((v) => OURS.includes(v)) ?? 'v1'
  return async (objects, toApiVersion) => {
    const sent = objects.filter((o) => o.apiVersion !== toApiVersion)
    if (sent.length === 0) return objects
    const named = `conversion webhook for ${sent[0]?.apiVersion}, Kind=${kind} failed`
    const question = { version, toApiVersion, named }
    const converted = await ask(conversion, { ...question, sent }, deps).catch(async (error: unknown) => {
      // An unreachable or slow webhook is not called again for every object: that would take too long.
      if (sent.length === 1 || (error instanceof Error && error.cause instanceof WebhookError)) throw error
      // One invalid object must not fail the others; each is retried alone, and fails with its own error.
      const alone: KubeObject[] = []
      for (const object of sent) alone.push(...(await ask(conversion, { ...question, sent: [object] }, deps)))
      return alone
    })
    let at = 0
    return objects.map((o) => (o.apiVersion === toApiVersion ? o : (converted[at++] ?? o)))
  }
}

interface ConversionBatch {
  readonly version: string
  readonly sent: readonly KubeObject[]
  readonly toApiVersion: string
  readonly named: string
}

async function ask(conversion: Conversion, q: ConversionBatch, deps: ConversionDeps): Promise<KubeObject[]> {
  const uid = deps.random.uuid()
  const sent = {
    kind: 'ConversionReview',
    apiVersion: `apiextensions.k8s.io/${q.version}`,
    request: { uid, desiredAPIVersion: q.toApiVersion, objects: q.sent.map(asJson) },
  }
  const failed = (why: string) => refused(`${q.named}: ${why}`)
  try {
    const config = { ...conversion.webhook?.clientConfig } as WebhookClientConfig
    const answer = await deps.client.call(config, asJson(sent), TIMEOUT_SECONDS)
    return readResponse(answer, { uid, apiVersion: sent.apiVersion, ...q }, failed)
  } catch (error) {
    if (error instanceof WebhookError) throw refused(`${q.named}: ${error.message.replace(/^failed to call webhook: /, '')}`, error)
    throw error
  }
}

const refused = (message: string, cause?: unknown) => new StatusError({ code: 500, message, cause })

function readResponse(
  answer: JsonObject,
  q: ConversionBatch & { readonly uid: string; readonly apiVersion: string },
  failed: (why: string) => StatusError,
): KubeObject[] {
  const response = decodeReview(answer, { group: 'apiextensions.k8s.io', version: q.version, kind: 'ConversionReview', schema: review() })
  if (q.version === 'v1' && (answer.kind !== 'ConversionReview' || answer.apiVersion !== q.apiVersion)) {
    const got = typeof answer.apiVersion === 'string' && answer.apiVersion !== '' ? answer.apiVersion : '/'
    throw failed(
      `expected webhook response of ${q.apiVersion}, Kind=ConversionReview, got ${got}, Kind=${typeof answer.kind === 'string' ? answer.kind : ''}`,
    )
  }
  if (response === undefined) throw failed('no response provided')
  if (q.version === 'v1' && response.uid !== q.uid)
    throw failed(`expected response.uid=${goQuote(q.uid)}, got ${goQuote(typeof response.uid === 'string' ? response.uid : '')}`)
  const result = isObject(response.result) ? response.result : {}
  if (result.status !== 'Success') {
    const message = typeof result.message === 'string' ? result.message : ''
    if (message !== '') throw failed(message)
    throw failed(`response.result.status was '${typeof result.status === 'string' ? result.status : ''}', not 'Success'`)
  }
  const objects = Array.isArray(response.convertedObjects) ? response.convertedObjects : []
  const about = q.named.replace(/ failed$/, '')
  if (objects.length !== q.sent.length) throw refused(`${about} returned ${objects.length} objects, expected ${q.sent.length}`)
  return objects.map((object, i) => checked(object, q.sent[i] as KubeObject, q))
}

/** Checks that a converted object has the wanted version, the same kind, and the same metadata except for labels and annotations. */
function checked(item: Json, original: KubeObject, q: ConversionBatch): KubeObject {
  const object = typed(item)
  const returned = `${q.named.replace(/ failed$/, '')} returned invalid`
  const at = `${returned} object at index 0`
  if (object.apiVersion !== q.toApiVersion)
    throw refused(`${at}: invalid groupVersion (expected ${q.toApiVersion}, received ${textOf(object.apiVersion)})`)
  if (object.kind !== original.kind) throw refused(`${at}: invalid kind (expected ${original.kind}, received ${textOf(object.kind)})`)
  const { metadata } = object
  const stood: Partial<KubeObject['metadata']> = original.metadata ?? {}
  for (const field of ['name', 'namespace', 'uid'] as const) {
    const before = stood[field] ?? ''
    const after = isObject(metadata) ? textOf(metadata[field]) : ''
    if (after !== before) throw refused(`${returned} object: must have the same ${field === 'uid' ? 'UID' : field}: ${before} != ${after}`)
  }
  if (!isObject(metadata)) throw refused(`${returned} metadata: missing metadata in converted object`)
  const restored: Record<string, unknown> = cloneJson(stood as JsonObject) as Record<string, unknown>
  for (const field of ['labels', 'annotations'] as const) {
    const said = metadata[field] ?? {}
    if (equalJson(said, stood[field] ?? {})) continue
    if (isObject(said) && Object.keys(said).length === 0) delete restored[field]
    else restored[field] = texts(said, field, (why) => refused(`${returned} metadata: ${why}`))
  }
  return { ...object, metadata: restored } as unknown as KubeObject
}

/** A returned object has to be one with a kind; other values fail as in Go, whose message does not name the webhook. */
function typed(item: Json): JsonObject {
  if (item === null) throw refused('unexpected end of JSON input')
  if (!isObject(item)) throw refused(`json: cannot unmarshal ${goJsonWord(item)} into Go value of type map[string]interface {}`)
  if (textOf(item.kind) === '' || textOf(item.apiVersion).split('/').length > 2)
    throw refused(`Object 'Kind' is missing in '${encodeJson(item)}'`)
  return item
}

const textOf = (value: Json | undefined) => (typeof value === 'string' ? value : '')

/** Go's `%T`. */
const goType = (value: Json) => (value === null ? '<nil>' : goTypeName(value))

/** A webhook may change labels and annotations; they have to be string maps. */
function texts(said: Json, field: 'labels' | 'annotations', invalid: (why: string) => StatusError): Record<string, string> {
  if (!isObject(said)) throw invalid(`invalid metadata.${field} of type ${goType(said)} in converted object`)
  const made: Record<string, string> = {}
  for (const [key, value] of Object.entries(said)) {
    if (typeof value !== 'string')
      throw invalid(`metadata.${field}[${key}] must be a string, but is ${goType(value ?? null)} in converted object`)
    setOwn(made, key, value)
  }
  const faults = field === 'labels' ? validateLabels(made, 'metadata.labels') : validateAnnotations(made, 'metadata.annotation')
  if (faults.length > 0) throw invalid(aggregate(faults))
  return made
}

const aggregate = (faults: readonly FieldError[]) => {
  const all = [...new Set(faults.map(faultText))]
  return all.length === 1 ? String(all[0]) : `[${all.join(', ')}]`
}
