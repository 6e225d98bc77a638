import { type TokenAuthenticator, TokenError } from '../../../apiserver/identity/authenticator.ts'
import type { Clock } from '../../../base/clock.ts'
import type { Random } from '../../../base/random.ts'
import { type GoType, goBool, goString, listOf, mapOf, struct } from '../../../machinery/go/go-type.ts'
import type { UserInfo } from '../../../machinery/resource/user.ts'
import { callWithRetries } from '../../webhook-callers/call-with-retries.ts'
import { WEBHOOK_RETRIES } from '../../webhook-callers/retries.ts'
import { type ExpectedReview, ReviewResponseError, reviewResponse } from '../../webhook-callers/review-response.ts'
import type { WebhookCaller } from '../../webhook-callers/webhook-caller.ts'

/** The version of TokenReview for the webhook. */
export type TokenReviewVersion = 'v1' | 'v1beta1'

export interface WebhookTokensInit {
  readonly version: TokenReviewVersion
  /** The server's audiences, for tokens without audiences in the webhook's response. */
  readonly own: readonly string[]
}

export interface WebhookTokensDeps {
  readonly caller: WebhookCaller
  readonly clock: Clock
  readonly random: Random
}

/** Authenticates tokens by a webhook (`--authentication-token-webhook-config-file`). */
export function webhookTokenAuthenticator(
  { version, own }: WebhookTokensInit,
  { caller, clock, random }: WebhookTokensDeps,
): TokenAuthenticator {
  const wanted = reviewOf(version)
  return {
    async authenticateToken(token, audiences) {
      const review = {
        kind: wanted.kind,
        apiVersion: wanted.apiVersion,
        metadata: {},
        spec: { token, audiences: [...audiences] },
        status: { user: {} },
      }
      const outcome = await callWithRetries(caller, JSON.stringify(review), { clock, random, retries: WEBHOOK_RETRIES })
      if (outcome.kind === 'failed') throw new TokenError(outcome.error.message)
      if (outcome.kind === 'refused') throw new TokenError(outcome.refusal.message)
      const { status = {} } = readResponse(outcome, wanted)
      const given = status.audiences ?? []
      const good = audiences.filter((a) => (given.length > 0 ? given : own).includes(a))
      if (good.length === 0) return undefined
      if (status.authenticated === true) return { user: userOf(status.user), audiences: good }
      if (status.error) throw new TokenError(status.error)
      return undefined
    },
  }
}

interface TokenReviewBody {
  readonly status?: {
    readonly authenticated?: boolean
    readonly user?: {
      readonly username?: string
      readonly uid?: string
      readonly groups?: readonly string[]
      readonly extra?: Readonly<Record<string, readonly string[] | null>>
    }
    readonly audiences?: readonly string[]
    readonly error?: string
  }
}

function readResponse(answer: Parameters<typeof reviewResponse>[0], wanted: ExpectedReview): TokenReviewBody {
  try {
    return reviewResponse(answer, wanted) as TokenReviewBody
  } catch (error) {
    throw error instanceof ReviewResponseError ? new TokenError(error.message) : error
  }
}

function userOf({
  username = '',
  uid = '',
  groups = [],
  extra = {},
}: NonNullable<NonNullable<TokenReviewBody['status']>['user']> = {}): UserInfo {
  const known = Object.entries(extra).map(([key, values]) => [key, values ?? []] as const)
  return {
    name: username,
    ...(uid === '' ? {} : { uid }),
    groups,
    ...(known.length === 0 ? {} : { extra: Object.fromEntries(known) }),
  }
}

function reviewOf(version: TokenReviewVersion): ExpectedReview {
  const type = (name: string, fields: Readonly<Record<string, GoType>>) => struct(`${version}.${name}`, fields)
  return {
    apiVersion: `authentication.k8s.io/${version}`,
    kind: 'TokenReview',
    type: type('TokenReview', {
      status: type('TokenReviewStatus', {
        authenticated: goBool,
        user: type('UserInfo', { username: goString, uid: goString, groups: listOf(goString), extra: mapOf(listOf(goString)) }),
        audiences: listOf(goString),
        error: goString,
      }),
    }),
  }
}
