import type { Attributes, Authorizer, Decision } from '../../../../apiserver/identity/authorizer.ts'
import type { Clock } from '../../../../base/clock.ts'
import { ExpiringCache, jsonLength } from '../../../../base/collections/expiring-cache.ts'
import { goBool, goString, struct } from '../../../../machinery/go/go-type.ts'
import { isObject, type JsonObject } from '../../../../machinery/object.ts'
import type { WebhookOutcome } from '../../../webhook-callers/call-with-retries.ts'
import { ReviewResponseError, reviewResponse } from '../../../webhook-callers/review-response.ts'
import type { RuleResolver } from '../rule-resolver.ts'
import { type ReviewVersion, review, reviewSpec } from './access-review.ts'
import { type MatchCondition, matchConditions } from './match-conditions.ts'

export interface WebhookAuthorizerConfig {
  readonly version: ReviewVersion
  /** How long an allowing response is cached; 0: not at all. */
  readonly authorizedTtlMs: number
  readonly unauthorizedTtlMs: number
  readonly timeoutMs: number
  /** The decision if there is no response. */
  readonly onFailure: 'no-opinion' | 'deny'
  /** All must hold for the webhook to be called. */
  readonly conditions: readonly MatchCondition[]
}

/** Observes the authorizer, for metrics. */
export interface WebhookAuthorizerNotes {
  /** Conditions excluded the request, or could not be evaluated. */
  condition?(kind: 'excluded' | 'failed'): void
  /** The result of a call, and whether the failure was ignored. */
  requested?(call: { readonly result: 'success' | 'timeout' | 'error'; readonly seconds: number; readonly failedOpen: boolean }): void
}

export interface WebhookAuthorizerDeps {
  readonly clock: Clock
  /** Sends a review and resolves with the outcome, retries included. */
  readonly ask: (body: string, timeoutMs: number) => Promise<WebhookOutcome>
  readonly notes?: WebhookAuthorizerNotes
}

/** The most cached responses. */
const MOST_ANSWERS = 8192
/** The size of the cache, in characters of its keys and of JSON: a webhook may give long reasons. */
const MOST_CACHED = 16 * 1024 * 1024
/** Requests with longer attributes that the client chooses are not cached. */
const MOST_CHOSEN = 10_000

interface AccessReviewStatus {
  readonly allowed?: boolean
  readonly denied?: boolean
  readonly reason?: string
}

/** Authorizes by a webhook, with cached responses. Concurrent equal requests share one call. */
export function webhookAuthorizer(config: WebhookAuthorizerConfig, deps: WebhookAuthorizerDeps): Authorizer {
  const answers = new ExpiringCache<Decision>({ entries: MOST_ANSWERS, size: MOST_CACHED, sizeOf: jsonLength }, deps.clock)
  const asking = new Map<string, Promise<Decision>>()
  const shared = config.authorizedTtlMs > 0 && config.unauthorizedTtlMs > 0
  const remember = async (spec: JsonObject, key: string): Promise<Decision> => {
    const { decision, allowed, failed } = await askFor(spec, config, deps)
    if (!failed) answers.set(key, decision, allowed ? config.authorizedTtlMs : config.unauthorizedTtlMs)
    return decision
  }
  return {
    authorize(attributes) {
      const spec = reviewSpec(attributes)
      const match = matchConditions(config.conditions, spec)
      if (match.kind !== 'matches') {
        deps.notes?.condition?.(match.kind)
        return match.kind === 'excluded' ? NOT_ASKED : { verdict: config.onFailure, reason: '', error: match.error }
      }
      if (chosenSize(attributes) >= MOST_CHOSEN) return askFor(spec, config, deps).then((answer) => answer.decision)
      const key = JSON.stringify(spec)
      const known = answers.get(key) ?? asking.get(key)
      if (known !== undefined) return known
      const pending = remember(spec, key).finally(() => asking.delete(key))
      if (shared) asking.set(key, pending)
      return pending
    },
  }
}

const NOT_ASKED: Decision = Object.freeze({ verdict: 'no-opinion', reason: '' })

const chosenSize = (a: Attributes): number =>
  a.namespace.length +
  a.verb.length +
  a.group.length +
  a.version.length +
  a.resource.length +
  a.subresource.length +
  a.name.length +
  a.path.length

interface WebhookDecision {
  readonly decision: Decision
  readonly allowed: boolean
  /** No response, or an invalid one: not cached. */
  readonly failed: boolean
}

async function askFor(spec: JsonObject, config: WebhookAuthorizerConfig, deps: WebhookAuthorizerDeps): Promise<WebhookDecision> {
  const started = deps.clock.monotonic()
  const outcome = await deps.ask(`${JSON.stringify(review(spec, config.version))}\n`, config.timeoutMs)
  const note = (result: 'success' | 'timeout' | 'error') =>
    deps.notes?.requested?.({
      result,
      seconds: (deps.clock.monotonic() - started) / 1000,
      failedOpen: result !== 'success' && config.onFailure === 'no-opinion',
    })
  const failed = (error: string, result: 'timeout' | 'error'): WebhookDecision => {
    note(result)
    return { decision: { verdict: config.onFailure, reason: '', error }, allowed: false, failed: true }
  }
  switch (outcome.kind) {
    case 'failed':
      return failed(outcome.error.message, outcome.error.code === 'deadline' ? 'timeout' : 'error')
    case 'refused':
      return failed(outcome.refusal.message, outcome.status === 504 ? 'timeout' : 'error')
    case 'answered':
      try {
        const status = statusOf(outcome, config.version)
        note('success')
        return { decision: decisionOf(status), allowed: status.allowed === true, failed: false }
      } catch (error) {
        if (error instanceof ReviewResponseError) return failed(error.message, 'error')
        throw error
      }
  }
}

const reviewType = (version: ReviewVersion) =>
  struct(`${version}.SubjectAccessReview`, {
    status: struct(`${version}.SubjectAccessReviewStatus`, {
      allowed: goBool,
      denied: goBool,
      reason: goString,
      evaluationError: goString,
    }),
  })

const TYPES = { v1: reviewType('v1'), v1beta1: reviewType('v1beta1') }

function statusOf(outcome: WebhookOutcome & { readonly kind: 'answered' }, version: ReviewVersion): AccessReviewStatus {
  const wanted = { apiVersion: `authorization.k8s.io/${version}`, kind: 'SubjectAccessReview', type: TYPES[version] }
  const { status } = reviewResponse(outcome, wanted)
  return isObject(status) ? status : {}
}

/** The webhook's evaluation error is ignored. */
function decisionOf({ allowed = false, denied = false, reason = '' }: AccessReviewStatus): Decision {
  if (allowed && denied) return { verdict: 'deny', reason, error: 'webhook subject access review returned both allow and deny response' }
  return { verdict: denied ? 'deny' : allowed ? 'allow' : 'no-opinion', reason }
}

/** A webhook cannot list rules. */
export const webhookRules: RuleResolver = () => ({
  resourceRules: [],
  nonResourceRules: [],
  incomplete: true,
  errors: ['webhook authorizer does not support user rule resolution'],
})
