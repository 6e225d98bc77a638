import { type AdmissionPlugin, type AdmissionRequest, refusal } from '../../../apiserver/admission/plugin.ts'
import type { Clock } from '../../../base/clock.ts'
import { ExpiringCache, jsonLength } from '../../../base/collections/expiring-cache.ts'
import type { Random } from '../../../base/random.ts'
import { goDecode } from '../../../machinery/go/go-decode.ts'
import { showGoDuration } from '../../../machinery/go/go-duration.ts'
import { type GoType, goAny, goBool, goString, mapOf, struct } from '../../../machinery/go/go-type.ts'
import { isObject, type JsonObject } from '../../../machinery/object.ts'
import { decodeYaml, YamlError } from '../../../machinery/yaml/yaml.ts'
import { PODS } from '../../../resources/refs.ts'
import type { Pod } from '../../../resources/types/core.ts'
import { callWithRetries, type WebhookOutcome } from '../../webhook-callers/call-with-retries.ts'
import { WEBHOOK_RETRIES } from '../../webhook-callers/retries.ts'
import { ReviewResponseError, reviewResponse } from '../../webhook-callers/review-response.ts'
import type { WebhookCaller } from '../../webhook-callers/webhook-caller.ts'
import { PluginConfigurationError } from '../configuration/plugin-configuration.ts'
import { isOf, isWrite } from '../requests-about.ts'

export interface ImagePolicyConfig {
  /** The webhook's kubeconfig. */
  readonly kubeConfigFile: string
  readonly allowTtlMs: number
  readonly denyTtlMs: number
  /** The delay before the first retry; it grows from there. */
  readonly retryBackoffMs: number
  /** The decision if the webhook fails. */
  readonly defaultAllow: boolean
}

const goNanoseconds: GoType = { kind: 'int64', name: 'time.Duration' }

const SECTION = struct('imagepolicy.imagePolicyWebhookConfig', {
  kubeConfigFile: goString,
  allowTTL: goNanoseconds,
  denyTTL: goNanoseconds,
  retryBackoff: goNanoseconds,
  defaultAllow: goBool,
})

/** Parses `imagePolicy`; integers are seconds, except for the backoff, which is in milliseconds. @throws {PluginConfigurationError} */
export function readImagePolicy(text: string | undefined): ImagePolicyConfig {
  if (text === undefined) throw new PluginConfigurationError('no config specified')
  const { value, fault } = goDecode(parse(text), struct('imagepolicy.AdmissionConfig', { imagePolicy: SECTION }), { ignoreCase: true })
  if (fault !== undefined) throw new PluginConfigurationError(fault)
  const section = isObject(value) && isObject(value.imagePolicy) ? value.imagePolicy : {}
  const {
    kubeConfigFile = '',
    allowTTL = 0,
    denyTTL = 0,
    retryBackoff = 0,
    defaultAllow = false,
  } = section as {
    kubeConfigFile?: string
    allowTTL?: number
    denyTTL?: number
    retryBackoff?: number
    defaultAllow?: boolean
  }
  return {
    kubeConfigFile,
    retryBackoffMs: span(retryBackoff, { scaleMs: 1, leastMs: 1e-6, mostMs: 300_000, defaultMs: 500 }),
    allowTtlMs: span(allowTTL, { scaleMs: 1000, leastMs: 1000, mostMs: 1_800_000, defaultMs: 300_000 }),
    denyTtlMs: span(denyTTL, { scaleMs: 1000, leastMs: 1000, mostMs: 1_800_000, defaultMs: 30_000 }),
    defaultAllow,
  }
}

function parse(text: string) {
  try {
    return decodeYaml(text).value
  } catch (error) {
    throw error instanceof YamlError ? new PluginConfigurationError(`error converting YAML to JSON: ${error.message}`) : error
  }
}

interface Bounds {
  readonly scaleMs: number
  readonly leastMs: number
  readonly mostMs: number
  readonly defaultMs: number
}

/** -1 disables it, 0 is the default. */
function span(value: number, { scaleMs, leastMs, mostMs, defaultMs }: Bounds): number {
  if (value === -1) return 0
  if (value === 0) return defaultMs
  const ms = value * scaleMs
  if (ms >= leastMs && ms <= mostMs) return ms
  throw new PluginConfigurationError(
    `valid value is between ${showGoDuration(leastMs)} and ${showGoDuration(mostMs)}, got ${showGoDuration(ms)}`,
  )
}

export interface ImagePolicyDeps {
  readonly clock: Clock
  readonly random: Random
  readonly caller: WebhookCaller
}

const MOST_ANSWERS = 1024
/** The size of the cache, in characters of its keys and of JSON. */
const MOST_CACHED = 4 * 1024 * 1024
const AUDIT = 'imagepolicywebhook.image-policy.k8s.io/'

interface ImageReviewStatus {
  readonly allowed?: boolean
  readonly reason?: string
  readonly auditAnnotations?: Readonly<Record<string, string>>
}

/** Calls a webhook to authorize a pod's images. Off unless it is enabled. */
export function imagePolicyWebhook(config: ImagePolicyConfig, { clock, random, caller }: ImagePolicyDeps): AdmissionPlugin<Pod> {
  const answers = new ExpiringCache<ImageReviewStatus>({ entries: MOST_ANSWERS, size: MOST_CACHED, sizeOf: jsonLength }, clock)
  const retries = { ...WEBHOOK_RETRIES, firstDelayMs: config.retryBackoffMs }
  const ask = async (spec: JsonObject): Promise<ImageReviewStatus | { readonly failure: string }> => {
    const key = JSON.stringify(spec)
    const known = answers.get(key)
    if (known !== undefined) return known
    const status = statusOf(await callWithRetries(caller, `${JSON.stringify(review(spec))}\n`, { clock, random, retries }))
    if (!('failure' in status)) answers.set(key, status, status.allowed === true ? config.allowTtlMs : config.denyTtlMs)
    return status
  }
  return {
    name: 'ImagePolicyWebhook',
    handles: (r) => isPodWithImages(r) && r.object !== undefined,
    async validate(request) {
      const { object: pod } = request
      if (pod === undefined) return
      const status = await ask(reviewSpec(request, pod))
      if ('failure' in status) {
        failed(request, status.failure, config.defaultAllow)
        return
      }
      for (const [key, value] of Object.entries(status.auditAnnotations ?? {})) request.annotate(`${AUDIT}${key}`, value)
      if (status.allowed === true) return
      throw refusal(
        request,
        status.reason
          ? `image policy webhook backend denied one or more images: ${status.reason}`
          : 'one or more images rejected by webhook backend',
      )
    },
  }
}

const isPodWithImages = (r: AdmissionRequest): boolean =>
  isWrite(r) && isOf(r, PODS) && (r.subresource === '' || r.subresource === 'ephemeralcontainers')

function failed(request: AdmissionRequest, why: string, allowed: boolean): void {
  if (!allowed) throw refusal(request, why)
  request.annotate(`${AUDIT}failed-open`, 'true')
}

function reviewSpec({ namespace, subresource }: AdmissionRequest, pod: Pod): JsonObject {
  const lists = subresource === '' ? [pod.spec?.containers, pod.spec?.initContainers] : [pod.spec?.ephemeralContainers]
  const containers = lists.flatMap((list) => (list ?? []).map(({ image = '' }): JsonObject => (image === '' ? {} : { image })))
  const annotations = Object.entries(pod.metadata.annotations ?? {}).filter(([key]) => key.includes('.image-policy.k8s.io/'))
  return {
    ...(containers.length === 0 ? {} : { containers }),
    ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
    ...(namespace === '' ? {} : { namespace }),
  }
}

const review = (spec: JsonObject): JsonObject => ({
  kind: 'ImageReview',
  apiVersion: 'imagepolicy.k8s.io/v1alpha1',
  metadata: {},
  spec,
  status: { allowed: false },
})

const WANTED = {
  apiVersion: 'imagepolicy.k8s.io/v1alpha1',
  kind: 'ImageReview',
  type: struct('v1alpha1.ImageReview', {
    metadata: goAny,
    status: struct('v1alpha1.ImageReviewStatus', { allowed: goBool, reason: goString, auditAnnotations: mapOf(goString) }),
  }),
}

function statusOf(outcome: WebhookOutcome): ImageReviewStatus | { readonly failure: string } {
  if (outcome.kind === 'failed') return { failure: outcome.error.message }
  if (outcome.kind === 'refused') return { failure: outcome.refusal.message }
  try {
    const { status } = reviewResponse(outcome, WANTED)
    return isObject(status) ? status : {}
  } catch (error) {
    if (error instanceof ReviewResponseError) return { failure: error.message }
    throw error
  }
}
