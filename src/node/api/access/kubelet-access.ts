import type { Cancel, Clock } from '../../../base/clock.ts'
import { ExpiringCache, jsonLength } from '../../../base/collections/expiring-cache.ts'
import type { ResourceRef } from '../../../machinery/api-call.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { ANONYMOUS, SYSTEM_AUTHENTICATED, type UserInfo } from '../../../machinery/resource/user.ts'
import type { TokenReview, TokenReviewStatus } from '../../../resources/types/authentication.ts'
import type { SubjectAccessReview } from '../../../resources/types/authorization.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { Caller } from '../api-request.ts'
import type { NodeAttributes } from './attributes.ts'

/** `authentication` and `authorization` of a KubeletConfiguration. Times in milliseconds. */
export interface AccessConfig {
  readonly anonymous: boolean
  /** Bearer tokens are verified by TokenReviews. */
  readonly tokens: boolean
  readonly tokenTtlMs: number
  /** False: AlwaysAllow for every authenticated user. */
  readonly review: boolean
  readonly allowedTtlMs: number
  readonly deniedTtlMs: number
}

/** The defaults of a KubeletConfiguration. */
export const DEFAULT_ACCESS: AccessConfig = {
  anonymous: false,
  tokens: true,
  tokenTtlMs: 120_000,
  review: true,
  allowedTtlMs: 300_000,
  deniedTtlMs: 30_000,
}

export type AccessDecision =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'denied' }
  /** The SubjectAccessReview for this subresource failed. */
  | { readonly kind: 'failed'; readonly subresource: string }

/** Authentication and authorization of a kubelet's server: delegated to the API server, with cached results. */
export interface KubeletAccess {
  /** Undefined: not authenticated. */
  authenticate(caller: Caller): Promise<UserInfo | undefined>
  authorize(user: UserInfo, attributes: NodeAttributes): Promise<AccessDecision>
}

export interface AccessDeps {
  readonly nodeName: string
  /** Authenticates as `system:node:<name>`, which may create both reviews. */
  readonly client: Client
  readonly clock: Clock
}

/** The most cached results of each kind. */
const MOST_ANSWERS = 4096
/** The size of each cache, in characters of its keys and of JSON. */
const MOST_CACHED = 4 * 1024 * 1024
/** The time limit of a review. */
const REVIEW_MS = 10_000

const TOKEN_REVIEWS: ResourceRef<TokenReview> = { group: 'authentication.k8s.io', version: 'v1', resource: 'tokenreviews' }
const ACCESS_REVIEWS: ResourceRef<SubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  resource: 'subjectaccessreviews',
}

export function createKubeletAccess(config: AccessConfig, { nodeName, client, clock }: AccessDeps): KubeletAccess {
  const bounds = { entries: MOST_ANSWERS, size: MOST_CACHED, sizeOf: jsonLength }
  const tokens = new ExpiringCache<UserInfo | 'anonymous'>(bounds, clock)
  const decisions = new ExpiringCache<boolean>(bounds, clock)
  const tokenReviews = new Map<string, Promise<TokenReview>>()
  const accessReviews = new Map<string, Promise<SubjectAccessReview>>()

  /** Concurrent requests with the same key share one review. */
  const once = <T extends KubeObject>(pending: Map<string, Promise<T>>, key: string, create: () => Promise<T>): Promise<T> => {
    const known = pending.get(key)
    if (known !== undefined) return known
    const question = within(clock, REVIEW_MS, create()).finally(() => pending.delete(key))
    pending.set(key, question)
    return question
  }

  async function userOfToken(token: string): Promise<UserInfo | undefined> {
    const known = tokens.get(token)
    if (known !== undefined) return known === 'anonymous' ? undefined : known
    const review: TokenReview = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec: { token } }
    const { status } = await once(tokenReviews, token, () => client.create(TOKEN_REVIEWS, review))
    const user = status?.authenticated === true ? userOf(status.user) : undefined
    tokens.set(token, user ?? 'anonymous', config.tokenTtlMs)
    return user
  }

  async function allowed(user: UserInfo, verb: string, subresource: string): Promise<boolean> {
    const resourceAttributes = { ...(verb !== '' && { verb }), version: 'v1', resource: 'nodes', subresource, name: nodeName }
    const { name, uid, groups, extra } = user
    const spec = { resourceAttributes, user: name, groups, ...(uid && { uid }), ...(extra && { extra }) }
    const key = JSON.stringify(spec)
    const known = decisions.get(key)
    if (known !== undefined) return known
    const review: SubjectAccessReview = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {}, spec }
    const { status } = await once(accessReviews, key, () => client.create(ACCESS_REVIEWS, review))
    const yes = status?.allowed === true
    decisions.set(key, yes, yes ? config.allowedTtlMs : config.deniedTtlMs)
    return yes
  }

  return {
    async authenticate({ certificate, wrongCertificate, authorization, trusted }) {
      if (trusted !== undefined) return trusted
      if (certificate !== undefined && certificate.commonName !== '') return ofCertificate(certificate)
      const token = bearer(authorization)
      if (token !== undefined) {
        if (!config.tokens) return undefined
        return await userOfToken(token).catch(() => undefined)
      }
      return config.anonymous && wrongCertificate !== true ? ANONYMOUS : undefined
    },
    async authorize(user, { verb, subresources }) {
      if (!config.review) return { kind: 'allowed' }
      for (const subresource of subresources) {
        try {
          if (await allowed(user, verb, subresource)) return { kind: 'allowed' }
        } catch {
          return { kind: 'failed', subresource }
        }
      }
      return { kind: 'denied' }
    },
  }
}

/** The token of `Bearer TOKEN`; undefined if there is none. */
function bearer(authorization = ''): string | undefined {
  const [scheme = '', token = ''] = authorization.trim().split(' ')
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined
}

const withAuthenticated = (groups: readonly string[]) =>
  groups.includes(SYSTEM_AUTHENTICATED) ? groups : [...groups, SYSTEM_AUTHENTICATED]

function userOf(user: TokenReviewStatus['user'] = {}): UserInfo {
  const { username = '', uid, groups = [], extra } = user
  return { name: username, groups: withAuthenticated(groups), ...(uid && { uid }), ...(extra && { extra }) }
}

function ofCertificate({ commonName, organizations, fingerprint }: NonNullable<Caller['certificate']>): UserInfo {
  const extra = { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] }
  return { name: commonName, groups: withAuthenticated(organizations), extra }
}

function within<T>(clock: Clock, ms: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel: Cancel = clock.after(ms, () => reject(new Error('the API server did not answer in time')))
    promise.then(resolve, reject).finally(cancel)
  })
}
