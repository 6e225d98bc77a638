import { STATUS_CODES } from 'node:http'
import { messageOf } from '../../../../base/message-of.ts'
import { goQuote } from '../../../../machinery/field-error.ts'
import { goDecode } from '../../../../machinery/go/go-decode.ts'
import { type GoType, goString, mapOf, struct } from '../../../../machinery/go/go-type.ts'
import type { Json, JsonObject } from '../../../../machinery/object.ts'
import { type IdTokenRules, verifyIdToken } from './id-token.ts'
import type { IssuerClient } from './issuer-client.ts'
import { untrustedClaims } from './jws.ts'
import { JwtError } from './jwt-error.ts'
import type { Provider } from './key-set.ts'

interface Expansion {
  /** The groups claim; empty if groups come from an expression. */
  readonly claim: string
  readonly client: IssuerClient
  /** Discovers an issuer; cached. */
  readonly providerOf: (issuer: string) => Promise<Provider>
  readonly rules: IdTokenRules
  readonly nowMs: number
}

const SOURCES = mapOf(struct('oidc.endpoint', { endpoint: goString, access_token: goString, JWT: goString }))

/**
 * Loads groups that a token only refers to (OpenID Connect Core 5.6.2, distributed claims): a token signed by their issuer. Claims without
 * such a reference are returned unchanged. Rejects with Kubernetes' message.
 */
export async function expandGroups(claims: JsonObject, expansion: Expansion): Promise<JsonObject> {
  const { claim } = expansion
  if (claim === '' || Object.hasOwn(claims, claim) || !Object.hasOwn(claims, '_claim_names')) return claims
  const failed = (why: string) => new Error(`oidc: could not expand distributed claims: ${why}`)
  const names = read(claims._claim_names, mapOf(goString), (why) => failed(`oidc: error parsing distributed claim names: ${why}`))
  if (!Object.hasOwn(claims, '_claim_sources')) throw failed('oidc: no claim sources')
  const sources = read(claims._claim_sources, SOURCES, (why) => failed(`oidc: could not parse claim sources: ${why}`))
  const name = Object.hasOwn(names, claim) ? names[claim] : undefined
  if (typeof name !== 'string') return claims
  const source = Object.hasOwn(sources, name) ? (sources[name] as { endpoint?: string; access_token?: string }) : undefined
  if (source === undefined) throw failed(`id token _claim_names contained a source ${name} missing in _claims_sources`)
  const { endpoint = '', access_token: bearer = '' } = source
  if (endpoint === '') return claims
  try {
    const found = await fetchClaims(endpoint, bearer, expansion)
    if (!Object.hasOwn(found, claim))
      throw new JwtError(`jwt returned by distributed claim endpoint ${goQuote(endpoint)} did not contain claim: ${claim}`)
    return { ...claims, [claim]: found[claim] }
  } catch (error) {
    throw failed(messageOf(error))
  }
}

async function fetchClaims(endpoint: string, bearer: string, { claim, client, providerOf, rules, nowMs }: Expansion): Promise<JsonObject> {
  const getting = (why: string) => new Error(`while getting distributed claim ${goQuote(claim)}: ${why}`)
  const answer = await client.get(endpoint, bearer === '' ? undefined : bearer).catch((error) => {
    throw getting(error.message)
  })
  const { status } = answer
  if (status < 200 || status > 226) throw getting(`error while getting distributed claim JWT: ${status} ${STATUS_CODES[status] ?? ''}`)
  const token = answer.body.toString()
  const issuer = untrustedClaims(token)?.iss
  if (typeof issuer !== 'string')
    throw new JwtError(`getting untrusted issuer from endpoint ${endpoint} failed for claim ${goQuote(claim)}: malformed token`)
  const { keys } = await providerOf(issuer).catch(() => {
    throw new JwtError(`verifying untrusted issuer ${issuer} failed: verifier not initialized for issuer: ${goQuote(issuer)}`)
  })
  return await verifyIdToken(token, { ...rules, issuer }, { keys, nowMs }).catch((error) => {
    throw new JwtError(`verify distributed claim token: ${error.message}`)
  })
}

function read(value: Json | undefined, type: GoType, failed: (why: string) => Error): JsonObject {
  const { value: decoded, fault } = goDecode(value ?? null, type)
  if (fault !== undefined) throw failed(fault)
  return (decoded ?? {}) as JsonObject
}
