import { constants, createPublicKey, type JsonWebKeyInput, type KeyObject, verify } from 'node:crypto'
import { decodeJson } from '../../../../machinery/json/strict-json.ts'
import { isObject, type Json, type JsonObject } from '../../../../machinery/object.ts'

/** Length limit of a token; headers have a limit anyway, bodies of reviews do not. */
export const MOST_TOKEN_CHARS = 64 * 1024

/** A parsed JWT in compact form; nothing of it is verified yet. */
export interface CompactJwt {
  readonly header: JsonObject
  readonly payload: Buffer
  readonly claims: JsonObject
  /** The signed bytes. */
  readonly signed: Buffer
  readonly signature: Buffer
}

/** Algorithms that Kubernetes accepts, and their names in node:crypto. */
export const SIGNING_ALGORITHMS: readonly string[] = ['ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512']

const CURVES: Readonly<Record<string, string>> = { ES256: 'prime256v1', ES384: 'secp384r1', ES512: 'secp521r1' }

/** The unverified claims of a token, to find its issuer. Undefined if it is not a JWT. */
export function untrustedClaims(token: string): JsonObject | undefined {
  if (token.length > MOST_TOKEN_CHARS) return undefined
  const parts = token.split('.', 4)
  const [, payload = ''] = parts
  if (parts.length !== 3) return undefined
  const bytes = base64Url(payload)
  return bytes === undefined ? undefined : jsonMap(bytes)
}

/** Parses a token. Undefined if it is not a signed JWT. */
export function parseCompact(token: string): CompactJwt | undefined {
  if (token.length > MOST_TOKEN_CHARS) return undefined
  const parts = token.split('.', 4)
  if (parts.length !== 3) return undefined
  const [head = '', body = '', tail = ''] = parts
  const [header, payload, signature] = [base64Url(head), base64Url(body), base64Url(tail)]
  if (header === undefined || payload === undefined || signature === undefined) return undefined
  const [headerMap, claims] = [jsonMap(header), jsonMap(payload)]
  if (headerMap === undefined || claims === undefined) return undefined
  return { header: headerMap, payload, claims, signed: Buffer.from(`${head}.${body}`), signature }
}

/** base64url without padding, in canonical form. */
function base64Url(text: string): Buffer | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

function jsonMap(bytes: Buffer): JsonObject | undefined {
  let value: Json
  try {
    value = decodeJson(bytes, { maxValues: 10_000 }).value
  } catch {
    return undefined
  }
  return isObject(value) ? value : undefined
}

/** A public key of a key set. */
export interface VerificationKey {
  readonly id: string
  /** The algorithm of the key in the set; undefined: any of its type. */
  readonly algorithm: string | undefined
  readonly key: KeyObject
}

/** Larger RSA keys are refused: a verification would block the event loop for too long. */
const MOST_RSA_BITS = 8192
/** As Go's: with a public exponent as long as the key, verifying takes as long as signing. */
const MOST_RSA_EXPONENT = 2n ** 31n - 1n

/** Parses a key of a JWKS. Undefined for unsupported keys (symmetric, encryption, other types, invalid). */
export function keyOfJwk(jwk: JsonObject): VerificationKey | undefined {
  if (jwk.kty !== 'RSA' && jwk.kty !== 'EC') return undefined
  if (jwk.use !== undefined && jwk.use !== '' && jwk.use !== 'sig') return undefined
  try {
    const key = createPublicKey({ key: jwk as JsonWebKeyInput['key'], format: 'jwk' })
    const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
    if (modulusLength > MOST_RSA_BITS || publicExponent > MOST_RSA_EXPONENT) return undefined
    return { id: typeof jwk.kid === 'string' ? jwk.kid : '', algorithm: typeof jwk.alg === 'string' ? jwk.alg : undefined, key }
  } catch {
    return undefined
  }
}

/** Whether the key made the signature, by the header's algorithm. No critical header extensions, and no bare payloads, are supported. */
export function isSignedBy(jwt: CompactJwt, key: KeyObject): boolean {
  const { alg } = jwt.header
  if (jwt.header.crit !== undefined || jwt.header.b64 === false || typeof alg !== 'string') return false
  const hash = `sha${alg.slice(2)}`
  if (!SIGNING_ALGORITHMS.includes(alg)) return false
  try {
    if (alg.startsWith('ES')) {
      if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== CURVES[alg]) return false
      return verify(hash, jwt.signed, { key, dsaEncoding: 'ieee-p1363' }, jwt.signature)
    }
    if (key.asymmetricKeyType !== 'rsa') return false
    if (alg.startsWith('RS')) return verify(hash, jwt.signed, key, jwt.signature)
    // go-jose accepts a salt of any length.
    const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO }
    return verify(hash, jwt.signed, { key, ...padding }, jwt.signature)
  } catch {
    return false
  }
}
