import type { Authenticator, TokenAuthenticator } from '../apiserver/identity/authenticator.ts'
import { TokenError } from '../apiserver/identity/authenticator.ts'
import type { Attributes, Authorizer, Decision } from '../apiserver/identity/authorizer.ts'
import { ALLOWED } from '../apiserver/identity/authorizer.ts'
import type { Clock } from '../base/clock.ts'
import type { KubeObject } from '../machinery/object.ts'
import { ANONYMOUS, type UserInfo } from '../machinery/resource/user.ts'
import type { Client } from '../sdk/client/client.ts'
import { clientCertificateAuthenticator } from '../server/auth/authenticators/client-certificate.ts'
import { frontProxyAuthenticator } from '../server/auth/authenticators/front-proxy.ts'
import { createAuthenticator } from '../server/auth/create-authenticator.ts'

/** How a cluster's API server names users to those behind it. */
const HEADERS = {
  userHeaders: ['X-Remote-User'],
  uidHeaders: ['X-Remote-Uid'],
  groupHeaders: ['X-Remote-Group'],
  extraPrefixes: ['X-Remote-Extra-'],
}

/** Answers are remembered so long, as Kubernetes' own servers do. */
const REMEMBERED_MS = 10_000
const MOST_REMEMBERED = 10_000

/** Whom to believe: the front proxy, certificates of the cluster's clients, and a client of the cluster, the bearer tokens that it knows. */
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
  const known = new Remembered<UserInfo>(clock)
  return {
    authenticateToken: (token) =>
      known
        .of(token, async () => {
          const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec: { token } } as KubeObject
          const { status } = await client.create({ group: 'authentication.k8s.io', version: 'v1', resource: 'tokenreviews' }, review)
          if (status?.authenticated !== true) throw new TokenError(status?.error ?? 'the cluster does not know the token')
          const { username = '', uid, groups = [], extra } = status.user ?? {}
          return { name: username, groups, ...(uid && { uid }), ...(extra && { extra }) }
        })
        .then((user) => ({ user, audiences: [] })),
  }
}

/**
 * Without a client: whoever the front proxy brings was asked for their rights before, by the same path; others may do nothing. With one, the cluster is
 * asked once more (SubjectAccessReview).
 */
export function delegatedAuthorizer(client: Client | undefined, clock: Clock): Authorizer {
  const known = new Remembered<Decision>(clock)
  return {
    authorize(attributes) {
      const { user } = attributes
      if (user.groups.includes('system:masters')) return ALLOWED
      if (client === undefined) return user === ANONYMOUS ? { verdict: 'no-opinion', reason: 'only the front proxy is believed' } : ALLOWED
      const spec = specOf(attributes)
      return known.of(JSON.stringify(spec), async () => {
        const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {}, spec } as unknown as KubeObject
        const { status } = await client.create({ group: 'authorization.k8s.io', version: 'v1', resource: 'subjectaccessreviews' }, review)
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

/** Answers by their question, for a while; those who ask the same at once wait for one answer. A failure is not remembered. */
class Remembered<T> {
  readonly #clock: Clock
  readonly #answers = new Map<string, { readonly until: number; readonly answer: Promise<T> }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  of(question: string, ask: () => Promise<T>): Promise<T> {
    const now = this.#clock.monotonic()
    const known = this.#answers.get(question)
    if (known !== undefined && known.until > now) return known.answer
    if (this.#answers.size >= MOST_REMEMBERED) this.#answers.clear()
    const answer = ask()
    this.#answers.set(question, { until: now + REMEMBERED_MS, answer })
    answer.catch(() => this.#answers.delete(question))
    return answer
  }
}
