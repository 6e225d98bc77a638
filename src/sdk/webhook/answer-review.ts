import { encodeJson } from '../../machinery/json/strict-json.ts'
import {
  asJson,
  asKubeObject,
  type Draft,
  type GroupVersionKind,
  type GroupVersionResource,
  isObject,
  type Json,
  type JsonObject,
  type KubeObject,
} from '../../machinery/object.ts'
import { badRequest, StatusError } from '../../machinery/status-error.ts'
import { diffPatch } from './diff-patch.ts'

/**
 * The `request` of an AdmissionReview, under the names of `admission.k8s.io/v1`. The handler may change the objects. A handler that names
 * its kind reads typed objects: `({ object }: AdmissionCall<Pod>) => …`.
 */
export interface AdmissionCall<T extends KubeObject = KubeObject> {
  readonly uid: string
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  readonly kind: GroupVersionKind
  readonly resource: GroupVersionResource
  readonly subResource?: string
  readonly name?: string
  readonly namespace?: string
  readonly userInfo: { readonly username?: string; readonly uid?: string; readonly groups?: readonly string[] }
  /** Null when something is deleted. */
  readonly object: Draft<T> | null
  /** Null when something is created. */
  readonly oldObject: Draft<T> | null
  readonly dryRun?: boolean
  readonly options: JsonObject | null
}

/** The decision of a validating handler. */
export interface AdmissionVerdict {
  readonly allowed: boolean
  /** The reason of a denial, for the client. */
  readonly message?: string
  /** The HTTP status of a refusal; 403 when absent. */
  readonly code?: number
  /** Shown to the client, whatever the decision. */
  readonly warnings?: readonly string[]
}

type OrLater<T> = T | Promise<T>

/**
 * The handlers of a webhook. Handlers are methods, so that each may name the type of its own objects. A `StatusError` that a handler throws
 * is its denial, with the error's message and code. Any other error is a failure of the webhook: a conversion fails with its message, and a
 * review gets HTTP 500, so that the configuration's `failurePolicy` decides.
 */
export interface WebhookHandlers {
  /**
   * More webhooks, each at a path of its own (`/validate-gadgets`), with one of the three handlers; such a path goes before the usual ones.
   * Default: none.
   */
  readonly paths?: Readonly<Record<string, WebhookPath>>
  /** At `/convert`: the same objects in the same order, in another version. Names, namespaces and uids must stay. */
  conversion?(objects: readonly KubeObject[], toApiVersion: string): OrLater<readonly KubeObject[]>
  /** At `/validate`: nothing allows, a text refuses with that text. */
  validate?(call: AdmissionCall): OrLater<AdmissionVerdict | string | undefined>
  /** At `/mutate`: the object as it shall be (the patch is computed), the steps of a JSON patch, or nothing. */
  mutate?(call: AdmissionCall): OrLater<KubeObject | readonly JsonObject[] | undefined>
}

/** What one path does: one of the three. */
export type WebhookPath =
  | Required<Pick<WebhookHandlers, 'conversion'>>
  | Required<Pick<WebhookHandlers, 'validate'>>
  | Required<Pick<WebhookHandlers, 'mutate'>>

/** The handler at a path; undefined when there is none. */
function handlerAt(path: string, { paths = {}, conversion, validate, mutate }: WebhookHandlers): WebhookPath | undefined {
  if (Object.hasOwn(paths, path)) return paths[path]
  if (path === '/convert' && conversion) return { conversion }
  if (path === '/validate' && validate) return { validate }
  if (path === '/mutate' && mutate) return { mutate }
  return undefined
}

/** Handles one review. Throws `StatusError` if no response in the form of a review is possible. */
export async function answerReview(path: string, review: Json, handlers: WebhookHandlers): Promise<JsonObject> {
  if (!isObject(review)) throw badRequest('the body is no review')
  const { apiVersion, kind, request } = review
  const take = (wanted: string, wantedKind: string): JsonObject & { uid: string } => {
    if (apiVersion !== wanted || kind !== wantedKind)
      throw badRequest(`expected ${wanted}, Kind=${wantedKind}, got ${text(apiVersion)}, Kind=${text(kind)}`)
    if (!isObject(request) || typeof request.uid !== 'string') throw badRequest(`the ${wantedKind} has no request with a uid`)
    return { ...request, uid: request.uid }
  }
  const admission = () => take('admission.k8s.io/v1', 'AdmissionReview')
  const wrap = (response: JsonObject): JsonObject => ({ apiVersion, kind, response })
  const handler = handlerAt(path, handlers)
  if (handler === undefined) throw new StatusError({ code: 404, reason: 'NotFound', message: `nothing is served at ${path}` })
  if ('conversion' in handler) return wrap(await converted(take('apiextensions.k8s.io/v1', 'ConversionReview'), handler.conversion))
  if ('validate' in handler) return wrap(await reviewed(admission(), async (call) => verdictJson(await handler.validate(call))))
  return wrap(await reviewed(admission(), async (call, sent) => patchJson(sent, await handler.mutate(call))))
}

async function converted(request: JsonObject & { uid: string }, handler: NonNullable<WebhookHandlers['conversion']>): Promise<JsonObject> {
  const { uid, desiredAPIVersion, objects } = request
  if (typeof desiredAPIVersion !== 'string' || !Array.isArray(objects))
    throw badRequest('the request names no version, or has no list of objects')
  try {
    const made = await handler(
      structuredClone(objects).map((object) => asKubeObject(object)),
      desiredAPIVersion,
    )
    if (made.length !== objects.length) throw new Error(`the conversion gave ${made.length} objects for ${objects.length}`)
    const stray = made.find((o) => o.apiVersion !== desiredAPIVersion)
    if (stray !== undefined) throw new Error(`the conversion gave ${stray.apiVersion} where ${desiredAPIVersion} is wanted`)
    return { uid, result: { status: 'Success' }, convertedObjects: made.map(asJson) }
  } catch (error) {
    return { uid, result: { status: 'Failure', message: messageOf(error) }, convertedObjects: [] }
  }
}

async function reviewed(
  request: JsonObject & { uid: string },
  handler: (call: AdmissionCall, sent: JsonObject) => Promise<JsonObject>,
): Promise<JsonObject> {
  const { uid } = request
  try {
    return { uid, ...(await handler(structuredClone<unknown>(request) as AdmissionCall, request)) }
  } catch (error) {
    if (!(error instanceof StatusError))
      throw new StatusError({ code: 500, reason: 'InternalError', message: messageOf(error), cause: error })
    return { uid, allowed: false, status: asJson(error.status) }
  }
}

function verdictJson(said: AdmissionVerdict | string | undefined): JsonObject {
  if (said === undefined) return { allowed: true }
  const verdict = typeof said === 'string' ? { allowed: false, message: said } : said
  const { allowed, message, code = 403, warnings } = verdict
  return {
    allowed,
    ...(allowed ? {} : { status: { status: 'Failure', code, ...(message === undefined ? {} : { message }) } }),
    ...(warnings === undefined ? {} : { warnings: [...warnings] }),
  }
}

function patchJson(sent: JsonObject, made: KubeObject | readonly JsonObject[] | undefined): JsonObject {
  if (made === undefined) return { allowed: true }
  const before = isObject(sent.object) ? sent.object : {}
  const steps = isSteps(made) ? made : diffPatch(before, asJson(made))
  if (steps.length === 0) return { allowed: true }
  return { allowed: true, patchType: 'JSONPatch', patch: Buffer.from(encodeJson(steps)).toString('base64') }
}

const isSteps = (made: KubeObject | readonly JsonObject[]): made is readonly JsonObject[] => Array.isArray(made)
const text = (value: Json | undefined) => (typeof value === 'string' ? value : '')
const messageOf = (error: unknown) => (error instanceof Error && error.message !== '' ? error.message : String(error))
