import { goQuote } from '../../../../machinery/field-error.ts'
import { goDecode } from '../../../../machinery/go/go-decode.ts'
import { goJsonWord } from '../../../../machinery/go/go-json-word.ts'
import { goAny, goString, mapOf, struct } from '../../../../machinery/go/go-type.ts'
import { isObject, type Json, type JsonObject } from '../../../../machinery/object.ts'
import { type CompactJwt, parseCompact } from './jws.ts'
import { JwtError } from './jwt-error.ts'
import type { KeySet } from './key-set.ts'

/** The requirements for a token. */
export interface IdTokenRules {
  readonly issuer: string
  readonly audiences: readonly string[]
  readonly algorithms: readonly string[]
}

/** Clock skew tolerance for `nbf`. */
const LEEWAY_SECONDS = 60

const SOURCE = struct('oidc.claimSource', { endpoint: goString, access_token: goString })
const ID_TOKEN = struct('oidc.idToken', {
  iss: goString,
  sub: goString,
  aud: goAny,
  exp: goAny,
  iat: goAny,
  nbf: goAny,
  nonce: goString,
  at_hash: goString,
  _claim_names: mapOf(goString),
  _claim_sources: mapOf(SOURCE),
})

/** Verifies a token: form, issuer, audience, time, algorithm, and then the signature. Rejects with go-oidc's message. */
export async function verifyIdToken(
  token: string,
  rules: IdTokenRules,
  deps: { readonly keys: KeySet; readonly nowMs: number },
): Promise<JsonObject> {
  const jwt = parseCompact(token)
  if (jwt === undefined) throw new JwtError('oidc: malformed jwt: go-jose/go-jose: compact JWS format must have three parts')
  const { kid } = jwt.header
  if (kid !== undefined && kid !== null && typeof kid !== 'string') {
    const raw = JSON.stringify(kid)
    const why = `json: cannot unmarshal ${goJsonWord(kid)} into Go value of type string: ${goQuote(raw)}`
    throw new JwtError(`oidc: malformed jwt: failed to unmarshal key ID: ${why}`)
  }
  const { jwk } = jwt.header
  // Keys of the issuer alone verify, and yet a key in the token must be a public one.
  if (isObject(jwk) && (jwk.kty === 'oct' || jwk.d !== undefined))
    throw new JwtError('oidc: malformed jwt: go-jose/go-jose: invalid embedded jwk, must be public key')
  checkClaims(jwt, rules, deps.nowMs)
  const { alg } = jwt.header
  if (typeof alg !== 'string' || !rules.algorithms.includes(alg)) {
    const got = typeof alg === 'string' ? alg : ''
    throw new JwtError(`oidc: id token signed with unsupported algorithm, expected ${goList(rules.algorithms)} got ${goQuote(got)}`)
  }
  await deps.keys.verify(jwt)
  return jwt.claims
}

/** All checks without keys come first, so that keys are not requested in vain. */
function checkClaims({ claims }: CompactJwt, rules: IdTokenRules, nowMs: number): void {
  const unreadable = (why: string) => new Error(`oidc: failed to unmarshal claims: ${why}`)
  const { fault } = goDecode(claims, ID_TOKEN)
  if (fault !== undefined) throw unreadable(fault)
  const audiences = audienceList(claims.aud, unreadable)
  const [expiry, notBefore] = [
    seconds(claims.exp, 'exp', unreadable),
    claims.nbf === null ? undefined : seconds(claims.nbf, 'nbf', unreadable),
  ]
  seconds(claims.iat, 'iat', unreadable)
  checkSources(claims)
  const issuer = claims.iss === 'accounts.google.com' && rules.issuer === 'https://accounts.google.com' ? rules.issuer : claims.iss
  if (issuer !== rules.issuer) {
    throw new JwtError(
      `oidc: id token issued by a different provider, expected ${goQuote(rules.issuer)} got ${goQuote(String(claims.iss))}`,
    )
  }
  const single = rules.audiences.length === 1
  const isMeant = audiences.some((a) => rules.audiences.includes(a))
  if (single && !isMeant) throw new JwtError(`oidc: expected audience ${goQuote(rules.audiences[0] ?? '')} got ${goList(audiences)}`)
  if (expiry === undefined || expiry * 1000 < nowMs) throw new JwtError(`oidc: token is expired (Token Expiry: ${goTime(expiry)})`)
  if (notBefore !== undefined && nowMs / 1000 + LEEWAY_SECONDS < notBefore) {
    throw new JwtError(`oidc: current time ${goTime(nowMs / 1000)} m=+0.0 before the nbf (not before) time: ${goTime(notBefore)}`)
  }
  if (!isMeant) throw new JwtError(`oidc: expected audience in ${goList([...rules.audiences].sort())} got ${goList(audiences)}`)
}

function audienceList(aud: Json | undefined, unreadable: (why: string) => Error): readonly string[] {
  if (aud === undefined) return []
  // Go decodes null as an empty string.
  if (aud === null) return ['']
  if (typeof aud === 'string') return [aud]
  const { value, fault } = goDecode({ aud }, struct('oidc.idToken', { aud: { kind: 'list', of: goString } }))
  if (fault !== undefined) throw unreadable(fault)
  return isObject(value) && Array.isArray(value.aud) ? value.aud.map(String) : []
}

/** The distributed claims must have a source. */
function checkSources({ _claim_names: names, _claim_sources: sources }: JsonObject): void {
  if (!isObject(names)) return
  for (const source of Object.values(names)) {
    if (source === '') throw new JwtError('oidc: failed to obtain source from claim name')
    if (typeof source === 'string' && !(isObject(sources) && Object.hasOwn(sources, source)))
      throw new JwtError('oidc: source does not exist')
  }
}

/** The maximum of Go's int64; larger values overflow to the minimum, which is in the past. */
const MOST_SECONDS = 2 ** 63

/** Whole seconds; fractions are truncated, as in go-oidc. */
function seconds(value: Json | undefined, name: string, unreadable: (why: string) => Error): number | undefined {
  if (value === undefined) return undefined
  if (value === null) throw unreadable('strconv.ParseFloat: parsing "": invalid syntax')
  if (typeof value === 'number' || typeof value === 'bigint') {
    const whole = Math.trunc(Number(value))
    return Math.abs(whole) >= MOST_SECONDS ? -MOST_SECONDS : whole
  }
  if (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)) return Math.trunc(Number(value))
  if (typeof value === 'string')
    throw unreadable(`json: invalid number literal, trying to unmarshal ${goQuote(JSON.stringify(value))} into Number`)
  throw unreadable(
    `json: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : 'object'} into Go struct field idToken.${name} of type json.Number`,
  )
}

/** Go's `Time.String`, in UTC. */
function goTime(atSeconds: number | undefined): string {
  if (atSeconds === undefined) return '0001-01-01 00:00:00 +0000 UTC'
  const date = new Date(atSeconds * 1000)
  if (Number.isNaN(date.getTime())) return `${atSeconds} +0000 UTC`
  const [day = '', time = ''] = date.toISOString().split('T')
  const fraction = Number.isInteger(atSeconds) ? '' : time.slice(8, -1)
  return `${day} ${time.slice(0, 8)}${fraction} +0000 UTC`
}

/** Texts as Go's `%q` prints a list of them. */
export const goList = (items: readonly string[]) => `[${items.map(goQuote).join(' ')}]`
