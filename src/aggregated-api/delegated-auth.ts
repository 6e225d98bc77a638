import type { Authenticator, TokenAuthenticator } from '../apiserver/identity/authenticator.ts'
import { TokenError } from '../apiserver/identity/authenticator.ts'
import type { Attributes, Authorizer, Decision } from '../apiserver/identity/authorizer.ts'
import { ALLOWED } from '../apiserver/identity/authorizer.ts'
import type { Clock } from '../base/clock.ts'
import { ExpiringCache } from '../base/collections/expiring-cache.ts'
import type { ResourceRef } from '../machinery/api-call.ts'
import { ANONYMOUS, type UserInfo } from '../machinery/resource/user.ts'
import type { TokenReview } from '../resources/types/authentication.ts'
import type { SubjectAccessReview } from '../resources/types/authorization.ts'
import type { Client } from '../sdk/client/client.ts'
import { clientCertificateAuthenticator } from '../server/auth/authenticators/client-certificate.ts'
import { frontProxyAuthenticator } from '../server/auth/authenticators/front-proxy.ts'
import { createAuthenticator } from '../server/auth/create-authenticator.ts'

const TOKEN_REVIEWS: ResourceRef<TokenReview> = { group: 'authentication.k8s.io', version: 'v1', resource: 'tokenreviews' }
const SUBJECT_ACCESS_REVIEWS: ResourceRef<SubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  resource: 'subjectaccessreviews',
}

/** How a cluster's API server names users to those behind it. */
const HEADERS = {
  userHeaders: ['X-Remote-User'],
  uidHeaders: ['X-Remote-Uid'],
  groupHeaders: ['X-Remote-Group'],
  extraPrefixes: ['X-Remote-Extra-'],
}

/** How long a result of the cluster is cached, as in Kubernetes' own servers. */
const ANSWER_TTL_MS = 10_000
const MAX_ANSWERS = 10_000

/**
 * Authenticates by the front proxy, by certificates of the cluster's clients, and, with a client of the cluster, by bearer tokens
 * (TokenReview).
 */
export function delegatedAuthenticator(client: Client | undefined, clock: Clock, allowedNames: readonly string[]): Authenticator {
  return createAuthenticator(
    {
      requests: [frontProxyAuthenticator({ ...HEADERS, allowedNames }), clientCertificateAuthenticator({ ids: true })],
      tokens: client === undefined ? [] : [reviewedTokens(client, clock)],
      audiences: [],
      anonymous: { enabled: true, paths: new Set() },
    },
    { clock },
  )
}

function reviewedTokens(client: Client, clock: Clock): TokenAuthenticator {
  const reviewed = deduplicated<UserInfo>(clock)
  return {
    authenticateToken: (token) =>
      reviewed(token, async () => {
        const review: TokenReview = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec: { token } }
        const { status } = await client.create(TOKEN_REVIEWS, review)
        if (status?.authenticated !== true) throw new TokenError(status?.error ?? 'the cluster does not know the token')
        const { username = '', uid, groups = [], extra } = status.user ?? {}
        return { name: username, groups, ...(uid && { uid }), ...(extra && { extra }) }
      }).then((user) => ({ user, audiences: [] })),
  }
}

/**
 * Without a client: the aggregator has already authorized requests of the front proxy, by the same path; all others are denied. With one,
 * the cluster is asked again (SubjectAccessReview).
 */
export function delegatedAuthorizer(client: Client | undefined, clock: Clock): Authorizer {
  const reviewed = deduplicated<Decision>(clock)
  return {
    authorize(attributes) {
      const { user } = attributes
      if (user.groups.includes('system:masters')) return ALLOWED
      if (client === undefined) return user === ANONYMOUS ? { verdict: 'no-opinion', reason: 'only the front proxy is believed' } : ALLOWED
      const spec = specOf(attributes)
      return reviewed(JSON.stringify(spec), async () => {
        const review: SubjectAccessReview = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {}, spec }
        const { status } = await client.create(SUBJECT_ACCESS_REVIEWS, review)
        const reason = status?.reason ?? ''
        if (status?.allowed === true) return { verdict: 'allow', reason }
        return { verdict: status?.denied === true ? 'deny' : 'no-opinion', reason }
      })
    },
  }
}

function specOf({ user, verb, resourceRequest, group, version, resource, subresource, namespace, name, path }: Attributes) {
  const about = resourceRequest
    ? { resourceAttributes: { verb, group, version, resource, subresource, namespace, name } }
    : { nonResourceAttributes: { verb, path } }
  return { user: user.name, groups: user.groups, ...(user.uid && { uid: user.uid }), ...(user.extra && { extra: user.extra }), ...about }
}

/** Results of the cluster by request. Concurrent equal requests share one call, and a failure is not cached. */
function deduplicated<T>(clock: Clock): (question: string, ask: () => Promise<T>) => Promise<T> {
  const answers = new ExpiringCache<Promise<T>>({ entries: MAX_ANSWERS }, clock)
  return (question, ask) => {
    const known = answers.get(question)
    if (known !== undefined) return known
    const answer = ask()
    answers.set(question, answer, ANSWER_TTL_MS)
    answer.catch(() => answers.set(question, answer, 0))
    return answer
  }
}
