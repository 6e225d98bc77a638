import type { AdmissionPlugin, AdmissionRequest } from '../../../apiserver/admission/plugin.ts'
import type { ResourceRegistry } from '../../../apiserver/cache/resource-registry.ts'
import type { WebhookCall } from '../../../apiserver/metrics/webhook-counts.ts'
import type { Clock } from '../../../base/clock.ts'
import type { Random } from '../../../base/random.ts'
import { giveTurn } from '../../../base/turns.ts'
import type { ResourceRef } from '../../../machinery/api-call.ts'
import { equalJson } from '../../../machinery/equal.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import { applyJsonPatchInTurns, type JsonPatchOperation } from '../../../machinery/json/json-patch.ts'
import { encodeJson } from '../../../machinery/json/strict-json.ts'
import { asJson } from '../../../machinery/object.ts'
import type { Reader } from '../../../machinery/resource/definition.ts'
import { badRequest, forbiddenStatus, internalError } from '../../../machinery/status-error.ts'
import { isHeavy } from '../../../machinery/weight.ts'
import { listObjects } from '../../../resources/read-objects.ts'
import { MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS } from '../../../resources/refs.ts'
import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '../../../resources/types/admissionregistration.ts'
import { type KnownTypes, patchedVersion } from '../patched-version.ts'
import type { ConditionEvaluator } from '../policy/condition-evaluator.ts'
import { Pace } from '../policy/evaluate.ts'
import { Reinvocations } from '../reinvocations.ts'
import { inVersion, replaceObject } from '../versioned-object.ts'
import { admissionReview, denial, readPatch, readVerdict, reviewVersionOf, type WebhookVerdict } from './admission-review.ts'
import { type Match, matchWebhook, type Webhook } from './match-webhook.ts'
import { type WebhookClient, WebhookError } from './webhook-client.ts'

const GROUP = 'admissionregistration.k8s.io'

export interface WebhookDeps {
  readonly clock: Clock
  readonly random: Random
  readonly reader: Reader
  /** Calls back when configurations have changed. */
  readonly onChange: (group: string, resource: string, changed: () => void) => unknown
  readonly definitions: ResourceRegistry
  readonly kinds: KnownTypes['kinds']
  readonly client: WebhookClient
  /** Evaluates match conditions (CEL). */
  readonly evaluate?: ConditionEvaluator
  /** Called after every call of a webhook. */
  readonly note?: (call: WebhookCall, request: AdmissionRequest) => void
}

type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration

/** The webhooks of all configurations, ordered by the configurations' names; sorted again after a change. */
function webhooksOf({ reader, onChange }: WebhookDeps, ref: ResourceRef<Configuration>): () => readonly Webhook[] {
  let known: readonly Webhook[] | undefined
  onChange(ref.group, ref.resource, () => {
    known = undefined
  })
  return () => {
    known ??= listObjects(reader, ref)
      .toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
      .flatMap((c) => (c.webhooks ?? []).map((hook) => ({ ...hook, configuration: c.metadata.name ?? '' })))
    return known
  }
}

/** Configurations of webhooks and policies are never intercepted: a broken webhook can always be removed. */
const isExempt = (request: AdmissionRequest) => request.resource.group === GROUP

/** Calls mutating webhooks one after the other; those with `reinvocationPolicy: IfNeeded` once more if a later one changed the object. */
export function mutatingWebhooks(deps: WebhookDeps): AdmissionPlugin {
  const configured = webhooksOf(deps, MUTATING_WEBHOOK_CONFIGURATIONS)
  const begun = new WeakMap<AdmissionRequest, Rounds>()
  return {
    name: 'MutatingAdmissionWebhook',
    handles: (r) => !isExempt(r),
    mutate(request) {
      const hooks = configured()
      if (hooks.length === 0) return undefined
      const rounds: Rounds = { hooks, reinvocations: new Reinvocations() }
      begun.set(request, rounds)
      return mutateAll(deps, rounds, request, 0)
    },
    reinvoke(request) {
      const rounds = begun.get(request)
      return rounds && mutateAll(deps, rounds, request, 1)
    },
  }
}

/** A request on its way through the webhooks that were configured when it came; the second round has the same. */
interface Rounds {
  readonly hooks: readonly Webhook[]
  readonly reinvocations: Reinvocations<Webhook>
}

async function mutateAll(deps: WebhookDeps, { hooks, reinvocations }: Rounds, request: AdmissionRequest, round: 0 | 1): Promise<void> {
  if (round === 1) reinvocations.beginSecond(request.object)
  const pace = new Pace()
  for (const [index, hook] of hooks.entries()) {
    if (round === 1 && !reinvocations.isDue(hook)) continue
    const outcome = await mutateOne(deps, hook, { request, turn: `round_${round}_index_${index}`, pace })
    if (outcome === 'changed') {
      reinvocations.changed()
      request.requireReinvocation()
    }
    if (outcome !== 'skipped' && hook.reinvocationPolicy === 'IfNeeded') reinvocations.ran(hook)
  }
  if (round === 0) reinvocations.endFirst(request.object)
}

interface MutatingCall {
  readonly request: AdmissionRequest
  /** The index of the call, for audit annotations. */
  readonly turn: string
  readonly pace: Pace
}

/** `skipped`: the webhook was not called. */
type Outcome = 'skipped' | 'unchanged' | 'changed'

async function mutateOne(deps: WebhookDeps, hook: Webhook, { request, turn, pace }: MutatingCall): Promise<Outcome> {
  const match = matchWebhook(hook, request, deps)
  if (match === undefined || !(await conditionsHold(deps, hook, { request, match, pace }))) return 'skipped'
  let mutated = false
  try {
    const steps = await ask(deps, hook, { request, match, mutating: true, turn })
    if (steps.length > 0) {
      const patch = { ...namesOf(hook), patch: steps, patchType: 'JSONPatch' }
      request.annotate(`patch.webhook.admission.k8s.io/${turn}`, encodeJson(patch), 'Request')
      mutated = await applyPatch(deps, request, match, steps)
    }
    return mutated ? 'changed' : 'unchanged'
  } finally {
    request.annotate(`mutation.webhook.admission.k8s.io/${turn}`, JSON.stringify({ ...namesOf(hook), mutated }))
  }
}

const namesOf = (hook: Webhook) => ({ configuration: hook.configuration, webhook: hook.name })

/** Applies a patch of the version that the webhook got. Resolves with whether the object changed. */
async function applyPatch(
  deps: WebhookDeps,
  request: AdmissionRequest,
  match: Match,
  steps: readonly JsonPatchOperation[],
): Promise<boolean> {
  const seen = await inVersion(deps.definitions, request, request.object, match.version)
  if (seen === undefined) return false
  const internally = (error: unknown): never => {
    throw internalError(error)
  }
  if (isHeavy(steps)) await giveTurn()
  const patched = await applyJsonPatchInTurns(asJson(seen), steps).catch(internally)
  if (isHeavy(patched)) await giveTurn()
  const changed = !equalJson(seen, patched)
  const definition = deps.definitions.get(request.resource.group, request.resource.resource)
  const version = patchedVersion(deps, definition, { patched, seen, version: match.version })
  await replaceObject(deps.definitions, request, seen, patched, { version }).catch(internally)
  return changed
}

/** Calls all validating webhooks concurrently. */
export function validatingWebhooks(deps: WebhookDeps): AdmissionPlugin {
  const configured = webhooksOf(deps, VALIDATING_WEBHOOK_CONFIGURATIONS)
  return {
    name: 'ValidatingAdmissionWebhook',
    handles: (r) => !isExempt(r),
    validate(request) {
      const hooks = configured()
      return hooks.length === 0 ? undefined : validateAll(deps, hooks, request)
    },
  }
}

async function validateAll(deps: WebhookDeps, hooks: readonly Webhook[], request: AdmissionRequest): Promise<void> {
  const pace = new Pace()
  const wanted: { readonly hook: Webhook; readonly match: Match }[] = []
  for (const hook of hooks) {
    const match = matchWebhook(hook, request, deps)
    if (match !== undefined && (await conditionsHold(deps, hook, { request, match, pace }))) wanted.push({ hook, match })
  }
  const results = await Promise.allSettled(
    wanted.map(async ({ hook, match }, index) => {
      await ask(deps, hook, { request, match, mutating: false, turn: `round_0_index_${index}` })
    }),
  )
  // As Kubernetes, which returns the first refusal to arrive: usually that of the webhook called last.
  const last = results.at(-1)
  const shown = last?.status === 'rejected' ? last : results.find((r) => r.status === 'rejected')
  if (shown?.status === 'rejected') throw shown.reason
}

interface WebhookRequest {
  readonly request: AdmissionRequest
  readonly match: Match
  readonly mutating: boolean
  /** The index of the call for this request, for audit annotations. */
  readonly turn: string
}

/** The patch of a webhook that allows the request; none if it failed, and its failure policy is Ignore. */
async function ask(deps: WebhookDeps, hook: Webhook, question: WebhookRequest): Promise<readonly JsonPatchOperation[]> {
  const { request, mutating, turn } = question
  if (request.dryRun && hook.sideEffects !== 'None' && hook.sideEffects !== 'NoneOnDryRun') {
    throw badRequest(`admission webhook "${hook.name}" does not support dry run`)
  }
  const started = deps.clock.monotonic()
  const note = (ended: WebhookCall['ended'], code = 0) => {
    const seconds = (deps.clock.monotonic() - started) / 1000
    const open = hook.failurePolicy === 'Ignore'
    deps.note?.({ name: hook.name, mutating, operation: request.operation, seconds, ended, code, open }, request)
  }
  try {
    const { allowed, status, patch, warnings, annotations } = await call(deps, hook, question)
    for (const warning of warnings) request.warn(warning)
    for (const [key, value] of Object.entries(annotations)) request.annotate(`${hook.name}/${key}`, value)
    if (!allowed) {
      const refusal = denial(hook.name, status)
      note('denied', refusal.code)
      throw refusal
    }
    const steps = patch === undefined ? [] : await readPatch(patch.base64)
    if (steps.length > 0) checkPatchable(hook, request, patch?.type ?? '')
    note('allowed')
    return steps
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    note('failed')
    if (hook.failurePolicy === 'Ignore') {
      request.annotate(`failed-open.${mutating ? 'mutation' : 'validating'}.webhook.admission.k8s.io/${turn}`, hook.name)
      return []
    }
    throw internalError(new Error(`failed calling webhook "${hook.name}": ${error.message}`, { cause: error }))
  }
}

/** There must be an object to patch, and only JSON patches are applied. */
function checkPatchable({ name }: Webhook, { object }: AdmissionRequest, type: string): void {
  const why = 'attempted to modify the object, which is not supported for this operation'
  if (object === undefined) throw internalError(new Error(`admission webhook ${goQuote(name)} ${why}`))
  if (type !== 'JSONPatch') throw new WebhookError(`unsupported patch type ${goQuote(type)}`)
}

async function call(deps: WebhookDeps, hook: Webhook, { request, match, mutating }: WebhookRequest): Promise<WebhookVerdict> {
  const version = reviewVersionOf(hook.admissionReviewVersions)
  if (version === undefined)
    throw new WebhookError(`could not get REST client: webhook does not accept known AdmissionReview versions (v1, v1beta1)`)
  const uid = deps.random.uuid()
  const [object, oldObject] = await Promise.all([
    inVersion(deps.definitions, request, request.object, match.version),
    inVersion(deps.definitions, request, request.oldObject, match.version),
  ])
  const review = admissionReview(uid, version, request, { version: match.version, object, oldObject })
  const answer = await deps.client.call(hook.clientConfig, review, hook.timeoutSeconds ?? 10)
  return readVerdict(answer, uid, version, mutating)
}

async function conditionsHold(
  deps: WebhookDeps,
  hook: Webhook,
  on: { request: AdmissionRequest; match: Match; pace: Pace },
): Promise<boolean> {
  const { request, match, pace } = on
  const { matchConditions = [], failurePolicy } = hook
  if (matchConditions.length === 0) return true
  if (deps.evaluate === undefined) throw new Error('match conditions need CEL, which this server was made without')
  const found = await deps.evaluate(matchConditions, { request, version: match.version, pace })
  if (found.error === undefined) return found.holds
  if (failurePolicy === 'Ignore') return false
  // Kubernetes names the object by its own name alone.
  const { group, resource } = request.resource
  throw forbiddenStatus({ group, resource }, request.name || request.object?.metadata.name || '', found.error)
}
