import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { type TokenAuthenticator, TokenError } from '../../../apiserver/identity/authenticator.ts'
import type { Clock } from '../../../base/clock.ts'
import { LruMap } from '../../../base/collections/lru-map.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { Reader } from '../../../machinery/resource/definition.ts'
import { serviceAccountGroups, serviceAccountName } from '../../../machinery/resource/service-account-name.ts'
import type { UserInfo } from '../../../machinery/resource/user.ts'
import { notFound } from '../../../machinery/status-error.ts'
import { readObject } from '../../../resources/read-objects.ts'
import { SECRETS } from '../../../resources/refs.ts'
import { goList } from './jwt/id-token.ts'
import type { SecretTokenUse } from './secret-token-use.ts'

/** The default issuer, and the default audience: the API server itself. */
export const SERVICE_ACCOUNT_ISSUER = 'https://kubernetes.default.svc'

interface Bound {
  readonly name: string
  readonly uid: string
}

/** The claims of a service account token, as Kubernetes writes them. */
export interface ServiceAccountClaims {
  readonly aud: readonly string[]
  readonly exp: number
  readonly iat: number
  readonly iss: string
  readonly jti: string
  readonly nbf: number
  readonly sub: string
  readonly 'kubernetes.io': {
    readonly namespace: string
    readonly serviceaccount: Bound
    readonly pod?: Bound
    readonly node?: Bound
    readonly secret?: Bound
    /** Tokens with an extended lifetime (for clients that do not reload them) cause a warning after this second. */
    readonly warnafter?: number
  }
}

/** Which service account tokens are accepted. */
export interface ServiceAccountTokensConfig {
  /** The first one issues tokens; tokens of the others are accepted. */
  readonly issuers: readonly string[]
  /** PEM, RSA or ECDSA; tokens are verified with any of them. */
  readonly publicKeys: readonly string[]
  /** Whether the account, and the object that the token is bound to, must still exist. */
  readonly lookup: boolean
}

/** Signs the claims: a JWT with the key's algorithm. */
export type TokenSigner = (claims: ServiceAccountClaims) => string

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A JWT implementation for our own keys: node:crypto signs synchronously, while a library costs an import and a promise. */
export function tokenSigner({ signingKey }: { readonly signingKey: string }): TokenSigner {
  let key: KeyObject | undefined
  let header = ''
  return (claims) => {
    if (key === undefined) {
      key = createPrivateKey(signingKey)
      header = base64({ alg: algorithmOf(key), kid: keyIdOf(signingKey) })
    }
    const body = `${header}.${base64(claims)}`
    return `${body}.${sign(HASHES[algorithmOf(key)] ?? 'sha256', Buffer.from(body), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
  }
}

const CURVES: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' }
const HASHES: Readonly<Record<string, string>> = { RS256: 'sha256', ES256: 'sha256', ES384: 'sha384', ES512: 'sha512' }

/** The algorithm of a key: RS256, or that of its curve. */
export function algorithmOf(key: KeyObject): string {
  return key.asymmetricKeyType === 'rsa' ? 'RS256' : (CURVES[key.asymmetricKeyDetails?.namedCurve ?? ''] ?? 'none')
}

/** The id of a key: the hash of its public bytes. */
export function keyIdOf(pem: string): string {
  return createHash('sha256')
    .update(createPublicKey(pem).export({ type: 'spki', format: 'der' }))
    .digest('base64url')
}

/** The most tokens with a verified signature. */
const MAX_VERIFIED = 8192

/**
 * Authenticates tokens of this cluster's service accounts: verifies the signature once, and at every use the time, the audience, and that
 * the account and the bound object exist.
 */
export function serviceAccountTokenAuthenticator(
  config: ServiceAccountTokensConfig,
  deps: { readonly clock: Clock; readonly reader: Reader; readonly use?: SecretTokenUse | undefined },
): TokenAuthenticator {
  const publicKeys = config.publicKeys.map((pem) => createPublicKey(pem))
  const verified = new LruMap<string, { readonly claims: ServiceAccountClaims; readonly user: UserInfo }>(MAX_VERIFIED)
  const read = (token: string) => {
    const known = verified.get(token)
    if (known !== undefined) return known
    const signed = verifyToken(token, config.issuers, publicKeys)
    if (signed === undefined) return undefined
    const claims = completeClaims(signed)
    const entry = { claims, user: userOf(claims) }
    verified.set(token, entry)
    return entry
  }
  return {
    authenticateToken(token, wanted) {
      const entry = read(token)
      if (entry === undefined) return undefined
      const seconds = deps.clock.now() / 1000
      const audiences = wanted.filter((a) => entry.claims.aud.includes(a))
      if (audiences.length === 0)
        throw new TokenError(`token audiences ${goList(entry.claims.aud)} is invalid for the target audiences ${goList(wanted)}`)
      if (seconds > entry.claims.exp) {
        verified.delete(token)
        throw new TokenError('service account token has expired')
      }
      if (seconds < entry.claims.nbf - 60) throw new TokenError('service account token is not valid yet')
      if (config.lookup) {
        checkAlive(entry.claims, deps.reader, deps.clock.now())
        if (deps.use !== undefined) showSecret(entry.claims, deps.reader, deps.use)
      }
      // The expensive signature check is cached here; what may change is checked each time.
      return { user: entry.user, audiences, revocable: config.lookup }
    },
  }
}

/** Length limit of a token. */
const MOST_CHARS = 64 * 1024

/** Undefined for a token of another issuer. Throws for an invalid signature. */
export function verifyToken(token: string, issuers: readonly string[], publicKeys: readonly KeyObject[]): ServiceAccountClaims | undefined {
  if (token.length > MOST_CHARS) return undefined
  const parts = token.split('.', 4)
  const [header = '', payload = '', signature = ''] = parts
  if (parts.length !== 3) return undefined
  const claims = decodePart(payload) as ServiceAccountClaims | undefined
  if (claims === undefined || !issuers.includes(claims.iss)) return undefined
  const bytes = Buffer.from(signature, 'base64url')
  const text = Buffer.from(`${header}.${payload}`)
  const algorithm = (decodePart(header) as { alg?: unknown } | undefined)?.alg
  // The signature's encoding must be canonical: another encoding of the same bytes is a different token.
  const sound = bytes.toString('base64url') === signature
  const fits = (key: KeyObject) =>
    algorithmOf(key) === algorithm && verify(HASHES[algorithm], text, { key, dsaEncoding: 'ieee-p1363' }, bytes)
  if (!sound || !publicKeys.some(fits)) {
    throw new TokenError('go-jose/go-jose: error in cryptographic primitive')
  }
  return claims
}

/** The claims of a service account token; other tokens with the same key may lack some. */
function completeClaims(claims: Partial<ServiceAccountClaims>): ServiceAccountClaims {
  const bound: Partial<ServiceAccountClaims['kubernetes.io']> = claims['kubernetes.io'] ?? {}
  const { aud = [] } = claims
  return {
    iss: '',
    jti: '',
    sub: '',
    exp: 0,
    iat: 0,
    nbf: 0,
    ...claims,
    aud: typeof aud === 'string' ? [aud] : aud,
    'kubernetes.io': { ...bound, namespace: bound.namespace ?? '', serviceaccount: bound.serviceaccount ?? { name: '', uid: '' } },
  }
}

function decodePart(text: string): unknown {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Grace period after an object's deletion timestamp, until its tokens are refused. */
const LEEWAY_MS = 60_000

function checkAlive(claims: ServiceAccountClaims, reader: Reader, now: number): void {
  const bound = claims['kubernetes.io']
  const check = (resource: string, namespace: string, ref: Bound, mismatch: (uid: string) => string, gone: string) => {
    const object = reader.get('', resource, namespace, ref.name)
    if (object === undefined) throw new TokenError(notFound({ group: '', resource }, ref.name).message)
    if (object.metadata.uid !== ref.uid) throw new TokenError(mismatch(object.metadata.uid ?? ''))
    if (endedBefore(object, now - LEEWAY_MS)) throw new TokenError(gone)
  }
  const account = bound.serviceaccount
  const revoked = 'service account token has been invalidated'
  check(
    'serviceaccounts',
    bound.namespace,
    account,
    (uid) => `service account UID (${uid}) does not match claim (${account.uid})`,
    `service account ${bound.namespace}/${account.name} has been deleted`,
  )
  for (const [resource, what, ref] of [
    ['pods', 'pod', bound.pod],
    ['secrets', 'secret', bound.secret],
  ] as const) {
    if (ref !== undefined)
      check(
        resource,
        bound.namespace,
        ref,
        (uid) => `${what} UID (${uid}) does not match service account ${what} ref claim (${ref.uid})`,
        revoked,
      )
  }
  // A pod's token also has the pod's node, for information; only a token bound to the node itself depends on it.
  const node = bound.pod === undefined ? bound.node : undefined
  if (node !== undefined)
    check('nodes', '', node, (uid) => `node UID (${uid}) does not match service account node ref claim (${node.uid})`, revoked)
}

/** A token in a secret of an account is bound to the secret: it is invalid without it, like Kubernetes' legacy tokens. */
function showSecret({ 'kubernetes.io': bound }: ServiceAccountClaims, reader: Reader, use: SecretTokenUse): void {
  const secret = bound.secret && readObject(reader, SECRETS, bound.namespace, bound.secret.name)
  if (secret?.type === 'kubernetes.io/service-account-token') use.shown(secret, bound.serviceaccount.name)
}

const endedBefore = (object: KubeObject, ms: number) =>
  object.metadata.deletionTimestamp !== undefined && Date.parse(object.metadata.deletionTimestamp) < ms

/** The user of a service account. */
function serviceAccountUser(namespace: string, name: string, uid?: string): UserInfo {
  return { name: serviceAccountName(namespace, name), ...(uid === undefined ? {} : { uid }), groups: serviceAccountGroups(namespace) }
}

function userOf(claims: ServiceAccountClaims): UserInfo {
  const bound = claims['kubernetes.io']
  const extra: Record<string, readonly string[]> = { 'authentication.kubernetes.io/credential-id': [`JTI=${claims.jti}`] }
  for (const kind of ['pod', 'node'] as const) {
    const ref = bound[kind]
    if (ref === undefined) continue
    extra[`authentication.kubernetes.io/${kind}-name`] = [ref.name]
    if (ref.uid !== '') extra[`authentication.kubernetes.io/${kind}-uid`] = [ref.uid]
  }
  return { ...serviceAccountUser(bound.namespace, bound.serviceaccount.name, bound.serviceaccount.uid), extra }
}
